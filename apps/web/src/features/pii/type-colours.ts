import { countTypes, type Finding } from './findings.ts'

/** The class of each type of finding. */
export type TypeColours = ReadonlyMap<string, string>

const COLOURS = 6

/** Gives each type a colour, in the order of the text; the seventh type begins again. */
export function createColours(findings: readonly Finding[]): TypeColours {
  return new Map([...countTypes(findings).keys()].map((type, index) => [type, `g${(index % COLOURS) + 1}`]))
}
