import { countTypes, type Finding } from './findings.ts'
import * as styles from './pii.module.css'

/** The class of each type of finding. */
export type TypeColours = ReadonlyMap<string, string | undefined>

const COLOURS = [styles.group1, styles.group2, styles.group3, styles.group4, styles.group5, styles.group6]

/** The class of a finding's action; none for the usual action, which is masking. */
export const ACTION_CLASSES: Readonly<Record<string, string | undefined>> = {
  allow: styles.allow,
  block: styles.block,
}

/** Gives each type a colour, in the order of the text; the seventh type begins again. */
export function createColours(findings: readonly Finding[]): TypeColours {
  return new Map([...countTypes(findings).keys()].map((type, index) => [type, COLOURS[index % COLOURS.length]]))
}
