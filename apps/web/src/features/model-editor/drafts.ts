import type { ModelFile } from './api.ts'

/** A text that was typed and not saved. */
export interface Draft {
  readonly text: string
  /** The file that it began from; undefined for a new model. */
  readonly base: ModelFile | undefined
}

/** Drafts of this page load by the name of the model: a session that ends in mid-page loses no draft. */
const drafts = new Map<string, Draft>()
const MAX_DRAFTS = 20

export function readDraft(name: string): Draft | undefined {
  return drafts.get(name)
}

/** Keeps a draft; the oldest ones give way. */
export function keepDraft(name: string, draft: Draft): void {
  drafts.delete(name)
  drafts.set(name, draft)
  const [oldest] = drafts.keys()
  if (drafts.size > MAX_DRAFTS && oldest !== undefined) drafts.delete(oldest)
}

export function dropDraft(name: string): void {
  drafts.delete(name)
}
