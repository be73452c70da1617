/** The ledger: exact sums, a cap that holds, and a window that is paid for once. */

import { expect, test } from "vitest";

import { Memory } from "../src/device/diary";
import { Refused } from "../src/device/errors";
import { toNumber } from "../src/device/fractions";
import { BudgetExceeded, Ledger } from "../src/device/ledger";

test("sums are exact: ten times 0.1 is not 1", () => {
  let ledger = Ledger.EMPTY.capped(1);
  for (let window = 0; window < 9; window++) ledger = ledger.charge("a", 0.1, window);
  // As floats 0.1 is above 1/10, so the tenth would come to more than 1.
  expect(() => ledger.charge("a", 0.1, 9)).toThrow(BudgetExceeded);
  expect(ledger.capped(1.0000000000000002).charge("a", 0.1, 9).has("a", 9)).toBe(true);
});

test("a window is paid for once, in whatever order", () => {
  const one = Ledger.EMPTY.charge("a", 1, 3).charge("a", 1, 1).charge("a", 1, 2).charge("b", 2, 0);
  const other = Ledger.EMPTY.charge("b", 2, 0).charge("a", 1, 1).charge("a", 1, 2);
  expect(one.charge("a", 1, 2)).toBe(one);
  expect(toNumber(one.spent("a"))).toBe(3);
  expect(toNumber(one.spent())).toBe(5);
  expect(toNumber(one.spent("c"))).toBe(0);
  expect(other.charge("a", 1, 3).paid.get("a")).toEqual(one.paid.get("a"));
  expect([0, 1, 2, 3, 4].map((window) => one.has("a", window))).toEqual([
    false,
    true,
    true,
    true,
    false,
  ]);
});

test("a refusal says what is spent, asked for and left, and charges nothing", () => {
  const ledger = Ledger.EMPTY.capped(1.5).charge("a", 1, 0);
  const refusal = catching(() => ledger.charge("b", 1, 0));
  expect(refusal).toBeInstanceOf(BudgetExceeded);
  expect(refusal).toMatchObject({ spent: 1, asked: 1, left: 0.5, cap: 1.5 });
  expect(ledger.has("b", 0)).toBe(false);
  expect(ledger.charge("b", 0.5, 0).has("b", 0)).toBe(true);
  expect(catching(() => ledger.capped(0.5).charge("b", 1, 0))).toMatchObject({ left: 0 });
  for (const cap of [-1, NaN, Infinity]) expect(() => ledger.capped(cap)).toThrow(Refused);
});

test("what is kept reads back, and what was changed is refused", () => {
  const keeper = new Memory();
  expect(Ledger.open(keeper)).toBe(Ledger.EMPTY);
  const ledger = Ledger.EMPTY.capped(9).charge("a", 0.1, 0).charge("a", 0.1, 1).charge("b", 1, 7);
  ledger.keep(keeper);
  expect(Ledger.open(keeper)).toEqual(ledger);
  const good = keeper.getItem("sudare ledger") as string;
  const changes = [
    "",
    "{}",
    good.slice(1),
    good.replace('"cap":9', '"cap":-9'),
    good.replace('"cap":9', '"cap":"9"'),
    good.replace("[0,2]", "[0,0]"),
    good.replace("[0,2]", "[0,2],[1,1]"),
    good.replace("[0,2]", "[0,1],[1,1]"),
    good.replace('"b"', '"a"'),
    good.replace('"epsilon":1', '"epsilon":null'),
  ];
  for (const changed of changes) {
    expect(changed).not.toBe(good);
    keeper.setItem("sudare ledger", changed);
    expect(() => Ledger.open(keeper), changed).toThrow(/can't be trusted/);
  }
});

function catching(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
