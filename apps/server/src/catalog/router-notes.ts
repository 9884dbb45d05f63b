import type { ConfigProblem } from './config-problem.ts'

/** A model that a router names. */
interface RouterReference {
  readonly model: string
  readonly key: string
  readonly line: number
}

/** The mistakes of a `router` block, and the models that it names, with their lines. */
export interface RouterNotes {
  readonly problems: readonly ConfigProblem[]
  readonly references: readonly RouterReference[]
}
