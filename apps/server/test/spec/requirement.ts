/** One normative line of the specification, in our own words. */
export interface Requirement {
  /** Stable, `area:topic:fact`. */
  readonly id: string
  /** Section of the specification, such as `2.11`. */
  readonly section: string
  /** The requirement in one sentence. */
  readonly behavior: string
  /** `built`: a test cites it. `gap`: a known gap; no test cites it. */
  readonly state: 'built' | 'gap'
}

/** Keeps the ids as literal types. */
export function defineRequirements<const Rows extends readonly Requirement[]>(rows: Rows): Rows {
  return rows
}
