/** How wide an element is. */

import { useEffect, useState } from "preact/hooks";

/** The width of an element, as it changes. */
export function useWidth(box: { readonly current: Element | null }): number {
  const [width, setWidth] = useState(640);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setWidth(Math.max(240, entry.contentRect.width));
    });
    observer.observe(box.current as Element);
    return () => observer.disconnect();
  }, []);
  return width;
}
