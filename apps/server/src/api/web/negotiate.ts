import { CODINGS, type Coding } from './web-list.ts'

/** The weight that a header gives to a coding; undefined where it does not name it. */
function readWeight(entries: readonly (readonly [string, number])[], coding: string): number | undefined {
  return entries.find(([name]) => name === coding)?.[1]
}

function parseEntries(header: string): (readonly [string, number])[] {
  return header.split(',').map((entry) => {
    const [name = '', ...parameters] = entry.trim().toLowerCase().split(';')
    const weight = parameters.map((one) => /^\s*q=([0-9.]{1,5})\s*$/.exec(one)?.[1]).find((one) => one !== undefined)
    return [name.trim(), weight === undefined ? 1 : Number(weight)] as const
  })
}

/** Chooses the stored coding that a client likes best; undefined for the plain file. */
export function chooseCoding(header: string | undefined, stored: readonly Coding[]): Coding | undefined {
  if (header === undefined || header === '' || stored.length === 0) return undefined
  const entries = parseEntries(header)
  let best: { readonly coding: Coding; readonly weight: number } | undefined
  // The smallest comes first and wins a tie.
  for (const coding of CODINGS) {
    if (!stored.includes(coding)) continue
    const weight = readWeight(entries, coding) ?? readWeight(entries, '*') ?? 0
    if (weight > (best?.weight ?? 0)) best = { coding, weight }
  }
  return best?.coding
}
