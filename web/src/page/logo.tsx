/** The mark: a blind's slats, held by two cords. The pages' icon in `*.html` is the same drawing. */
export function Logo() {
  return (
    <svg class="logo" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
      <path class="slats" d="M2 4h20M3 8.5h18M3 12.5h18M3 16.5h18M3 20.5h18" />
      <path class="cords" d="M7.5 3v19M16.5 3v19" />
    </svg>
  );
}
