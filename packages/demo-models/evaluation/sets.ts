import { readFileSync } from 'node:fs'
import type { Turn } from './engine.ts'

/** A conversation and its only accepted answer. */
export interface Item {
  readonly messages: readonly Turn[]
  readonly answer: string
}

/** A question about svc, or small talk, and its topic. */
export interface Question {
  readonly topic: string
  readonly text: string
}

/** The question sets of the embedding model. */
export interface EmbeddingSets {
  /** Held-out questions: in a new pattern, or in words that are not in a training pair. */
  readonly questions: readonly (Question & { readonly kind: 'new pattern' | 'new phrase' })[]
  /** Five trained questions of every topic. */
  readonly known: readonly Question[]
  /** The answers of the help topics. */
  readonly answers: readonly Question[]
}

/** A line of `sets.jsonl`, as `training/generate.py --evaluation` writes it. */
type Line =
  | ({ readonly model: 'demo'; readonly set: string } & Item)
  | ({ readonly model: 'demo-embed'; readonly set: 'questions' } & EmbeddingSets['questions'][number])
  | ({ readonly model: 'demo-embed'; readonly set: 'known' } & Question)
  | ({ readonly model: 'demo-embed'; readonly set: 'answers' } & Question)

/** Questions written by hand, unknown to the generators. */
export interface HandWritten {
  readonly offTopic: readonly string[]
  readonly routes: readonly { readonly name: string; readonly description: string }[]
  readonly routing: readonly (readonly [request: string, route: string])[]
}

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')

const lines = read('sets.jsonl')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Line)

/** The held-out questions of the chat model by set, in the order of the file. */
export const chatSets: ReadonlyMap<string, readonly Item[]> = groupBySet(lines.filter((line) => line.model === 'demo'))
export const embeddingSets: EmbeddingSets = {
  questions: lines.filter((line) => line.model === 'demo-embed' && line.set === 'questions'),
  known: lines.filter((line) => line.model === 'demo-embed' && line.set === 'known'),
  answers: lines.filter((line) => line.model === 'demo-embed' && line.set === 'answers'),
}
export const handWritten = JSON.parse(read('../training/data/hand-written.json')) as HandWritten
/** General questions and the text that answers each. */
export const generalPairs = JSON.parse(read('../training/data/general-pairs.json')) as readonly (readonly [
  string,
  string,
])[]
export const routerPrompt = read('../training/router-prompt.txt').trim()

function groupBySet(items: readonly (Item & { readonly set: string })[]): Map<string, Item[]> {
  const groups = new Map<string, Item[]>()
  for (const item of items) groups.set(item.set, [...(groups.get(item.set) ?? []), item])
  return groups
}
