/** Position of a token in an entity, by its label. `plain`: the label does not say. */
export type LabelPosition = 'outside' | 'begin' | 'inside' | 'end' | 'single' | 'plain'

/** A parsed label of a token classifier. */
export interface Label {
  readonly position: LabelPosition
  /** Kind of the entity, such as `PER`; empty outside. */
  readonly group: string
}

const PREFIXES: Readonly<Record<string, LabelPosition>> = {
  B: 'begin',
  I: 'inside',
  M: 'inside',
  E: 'end',
  L: 'end',
  S: 'single',
  U: 'single',
}

/**
 * Parses labels of the usual schemes: `B-PER`, `I-PER` (BIO), `E-`, `S-` (BIOES), `L-`, `U-` (BILOU), `M-` (BMES), `_`
 * in place of `-`, or a group without a position. A single letter in front is a position only when some label of the
 * model begins with `B` or `I` that way, so that a group such as `S-BAHN` stays one.
 */
export function readLabelSet(names: readonly string[]): readonly Label[] {
  const hasPositions = names.some((name) => /^[BI][-_]./.test(name))
  return names.map((name) => {
    if (/^(o|outside|none)$/i.test(name)) return { position: 'outside', group: '' }
    const match = hasPositions ? /^([BIMELSU])[-_](.+)$/su.exec(name) : null
    const position = PREFIXES[match?.[1] ?? '']
    return position === undefined ? { position: 'plain', group: name } : { position, group: match?.[2] ?? name }
  })
}
