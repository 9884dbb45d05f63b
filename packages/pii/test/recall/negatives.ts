import { type Draw, group } from './draw.ts'

const HEX = '0123456789abcdef'
const two = (number: number): string => String(number).padStart(2, '0')

function uuid(draw: Draw): string {
  return group(draw.chars(32, HEX), [8, 4, 4, 4, 12], '-')
}

function date(draw: Draw): string {
  const [year, month, day] = [draw.between(1999, 2031), two(draw.between(1, 12)), two(draw.between(1, 28))]
  return draw.pick([`${year}-${month}-${day}`, `${day}.${month}.${year}`, `${month}/${day}/${year}`])
}

function version(draw: Draw): string {
  const part = (): number => draw.between(0, 30)
  const three = `${part()}.${part()}.${part()}`
  return draw.pick([
    three,
    `${three}.${part()}`,
    `v${three}.${part()}`,
    `${three}-rc.${part()}`,
    `${three}.${part()}-1`,
    `${three}+build.${draw.digits(4)}`,
  ])
}

function table(draw: Draw): string {
  const cell = draw.pick([
    () => draw.digits(4),
    () => String(draw.between(1, 999)),
    () => (draw.between(0, 99_999) / 100).toFixed(2),
    () => draw.digits(3),
  ])
  return Array.from({ length: 3 }, () =>
    Array.from({ length: 6 }, cell).join(draw.pick([' ', '\t', '  ', ' | ', ', '])),
  ).join('\n')
}

/** Texts in which nothing is private: versions, ids, tables, dates, hashes, code, logs. */
export const NEGATIVES: readonly [(draw: Draw) => string, ...((draw: Draw) => string)[]] = [
  (draw) => `Upgraded libfoo to version ${version(draw)} and bar to ${version(draw)}.`,
  (draw) => `foo (${version(draw)}-${draw.between(1, 9)}) unstable; urgency=low`,
  (draw) => `request_id=${uuid(draw)} trace=${draw.chars(32, HEX)} span=${draw.chars(16, HEX)}`,
  (draw) => `commit ${draw.chars(40, HEX)} on ${date(draw)}`,
  (draw) => `sha256:${draw.chars(64, HEX)}  md5 ${draw.chars(32, HEX)}`,
  (draw) => `"integrity": "sha512-${draw.chars(86, `${HEX}ABCDEFGHIJKLMNOPQRSTUVWXYZghijklmnopqrstuvwxyz+/`)}=="`,
  (draw) => `The meeting is on ${date(draw)} at ${two(draw.between(0, 23))}:${two(draw.between(0, 59))}.`,
  table,
  (draw) => `invoice ${draw.digits(6)}, total ${draw.between(1, 999)}.${draw.digits(2)} EUR, order #${draw.digits(8)}`,
  (draw) =>
    `const MASK = 0x${draw.chars(8, HEX)}; const SIZE = ${draw.between(1, 65_536)}; // line ${draw.between(1, 4000)}`,
  (draw) =>
    `x = ${draw.between(0, 9)}.${draw.digits(15)}; y = -${draw.between(0, 9)}.${draw.digits(12)}e-${draw.between(1, 20)}`,
  (draw) =>
    `[${draw.digits(13)}] GET /v1/items/${draw.digits(7)}?page=${draw.between(1, 90)} ${draw.pick(['200', '404', '503'])} ${draw.between(1, 900)}ms`,
  (draw) => `ISBN 978-${draw.between(0, 9)}-${draw.digits(3)}-${draw.digits(5)}-${draw.between(0, 9)}`,
  (draw) => `lat ${draw.between(10, 89)}.${draw.digits(6)}, lon ${draw.between(10, 179)}.${draw.digits(6)}`,
  (draw) =>
    `See section ${draw.between(1, 9)}.${draw.between(1, 20)}.${draw.between(1, 20)}.${draw.between(1, 9)} and RFC ${draw.between(1000, 9300)}, pages ${draw.between(1, 90)}-${draw.between(91, 400)}.`,
  (draw) => `${draw.chars(8, HEX)}: ${group(draw.chars(32, HEX), [4, 4, 4, 4, 4, 4, 4, 4], ' ')}  ................`,
  (draw) =>
    `fingerprint ${group(
      draw.chars(40, HEX),
      Array.from({ length: 20 }, () => 2),
      ':',
    )}`,
  (draw) =>
    `import { a } from "@scope/pkg@${draw.between(1, 9)}.${draw.between(0, 30)}.${draw.between(0, 99)}"; url(icon@2x.png)`,
  (draw) =>
    `git clone git@host.example:team/repo-${draw.digits(3)}.git && npm i pkg@^${draw.between(1, 9)}.${draw.between(0, 9)}.0`,
  (draw) =>
    `Population ${draw.between(1, 99)},${draw.digits(3)},${draw.digits(3)}; GDP ${draw.digits(3)} billion in ${draw.between(1990, 2024)}.`,
  (draw) =>
    `id ${draw.digits(12)} sku ${draw.chars(3, 'ABCDEFGHKLM')}-${draw.digits(5)} batch ${draw.digits(9)} serial ${draw.chars(10, 'ABCDEFGH0123456789')}`,
  (draw) =>
    `snowflake ${draw.between(1, 9)}${draw.digits(17)} epoch ${draw.between(16, 17)}${draw.digits(8)} ticket ${draw.between(1, 9)}${draw.digits(4)}`,
  (draw) =>
    `std::vector<int> a(${draw.between(1, 900)}); ns::f${draw.between(1, 64)}::g(); a[${draw.between(0, 99)}] += 0b1011;`,
  (draw) => `Route 66, Apollo 11, 24 hours, 7 days, 3 Monkeys, Windows 11, Chapter 12, Figure ${draw.between(1, 30)}`,
  (draw) =>
    `M${draw.between(0, 99)}.${draw.digits(2)} ${draw.between(0, 99)}.${draw.digits(2)}c${draw.between(0, 9)}.${draw.digits(3)}-${draw.between(0, 9)}.${draw.digits(3)} ${draw.digits(2)}.${draw.digits(3)}`,
  (draw) =>
    `color: #${draw.chars(6, HEX)}; margin: ${draw.between(0, 40)}px ${draw.between(0, 40)}px; z-index: ${draw.between(1, 9999)}`,
  (draw) =>
    `The patch moved ${draw.between(2, 90)} files (+${draw.between(1, 9999)} -${draw.between(1, 9999)}) in ${draw.between(1, 59)}m${draw.between(1, 59)}s.`,
  (draw) =>
    `Der Zug fährt um ${two(draw.between(0, 23))}.${two(draw.between(0, 59))} Uhr von Gleis ${draw.between(1, 24)}; Sitz ${draw.between(1, 120)}, Wagen ${draw.between(1, 14)}.`,
]
