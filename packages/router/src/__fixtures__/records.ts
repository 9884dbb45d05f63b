import { readFileSync } from 'node:fs'
import type { LabelScore } from '../activation.ts'
import type { Neighbor } from '../classifiers/classification.ts'
import type { ProbeFormat } from '../probe/probe.ts'
import type { RouterCandidate, RouterPolicy } from '../settings.ts'

/** The decision that a record expects. */
export interface ExpectedRoute {
  readonly status?: number
  readonly served_model?: string
  readonly used_fallback?: boolean
  readonly label?: string
  readonly classifier?: string
  readonly score?: number
  readonly label_scores?: readonly LabelScore[]
  readonly activation_threshold?: number
  readonly nearest_similarity?: number
  readonly neighbors?: readonly Neighbor[]
  readonly active?: readonly string[]
}

/** A neighbour: a text with labels, or a payload as the store keeps it. */
export interface NeighborRecord {
  readonly text?: string
  readonly similarity: number
  readonly labels?: readonly string[]
  readonly payload?: string
}

/** A decision and the answers of the models that lead to it. */
export interface RouteRecord {
  readonly name: string
  readonly kind?: undefined
  readonly classifier?: string
  readonly policies: readonly (RouterPolicy | string)[]
  readonly candidates: readonly RouterCandidate[]
  readonly fallback: string
  readonly activation_threshold?: number
  readonly similarity_threshold?: number
  readonly vote_threshold?: number
  readonly k?: number
  readonly scores?: readonly Readonly<Record<string, number | string>>[]
  readonly neighbors?: readonly NeighborRecord[]
  readonly probabilities?: readonly (number | string | null)[]
  readonly classifier_error?: string
  readonly classifier_unavailable?: boolean
  readonly routers?: readonly string[]
  readonly missing?: readonly string[]
  readonly expected: ExpectedRoute
}

interface CacheKeyRecord {
  readonly name: string
  readonly kind: 'cache_key'
  readonly text: string
  readonly key: string
}

interface PromptRecord {
  readonly name: string
  readonly kind: 'prompt_structure'
  readonly policies: readonly RouterPolicy[]
  readonly probe: string
  readonly contains: string
  readonly candidates: readonly string[]
  readonly user_turn: string
}

interface ProbeRecord {
  readonly name: string
  readonly kind: 'probe'
  readonly wire: ProbeFormat
  readonly body: unknown
  readonly prompt: string
  readonly turns: readonly string[]
}

interface TurnEndRecord {
  readonly name: string
  readonly kind: 'turn_end'
  readonly stopwords: readonly string[]
  readonly chat_message_template: string
  readonly token: string
}

/** One line of the reference. */
export type RouterRecord = RouteRecord | CacheKeyRecord | PromptRecord | ProbeRecord | TurnEndRecord

/** The records of the reference, without the header. */
export function readRecords(): RouterRecord[] {
  const lines = readFileSync(new URL('router.jsonl', import.meta.url), 'utf8').trim().split('\n')
  return lines.slice(1).map((line) => JSON.parse(line) as RouterRecord)
}
