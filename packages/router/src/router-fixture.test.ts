import { parseJson } from '@svc/json'
import { describe, expect, it } from 'vitest'
import { type RouteRecord, readRecords } from './__fixtures__/records.ts'
import { foldPrompt } from './cache/fold-prompt.ts'
import { createEntryId } from './corpus/entry.ts'
import { toNeighbors } from './corpus/payload.ts'
import type { RouterDecision } from './decision.ts'
import type { ModelDirectory } from './ports.ts'
import { extractProbe } from './probe/extract-probe.ts'
import { createProbe } from './probe/probe.ts'
import { chooseTurnEnd, countCommonBytes, renderChatml, writeAnswer, writeSystemTurn } from './prompt/score-prompt.ts'
import { createRouter, type RouterOptions } from './router.ts'

const records = readRecords()
const NUMBERS: Readonly<Record<string, number>> = { '-inf': Number.NEGATIVE_INFINITY, NaN: Number.NaN }
const toNumber = (value: unknown): number =>
  typeof value === 'number' ? value : (NUMBERS[String(value)] ?? Number.NaN)

/** The models of a record: each answers as the record says. */
function replayModels(record: RouteRecord): Partial<RouterOptions> {
  const fail = () => {
    if (record.classifier_error !== undefined) throw new Error(record.classifier_error)
  }
  if (record.classifier_unavailable === true) return {}
  return {
    scorer: {
      async score() {
        fail()
        return (record.scores ?? []).map(({ log_prob, num_tokens }) => {
          return { logProbability: toNumber(log_prob), tokenCount: toNumber(num_tokens) }
        })
      },
    },
    reranker: {
      async rerank() {
        fail()
        return (record.scores ?? []).map(({ index, relevance_score }) => {
          return { index: toNumber(index), score: toNumber(relevance_score) }
        })
      },
    },
    decisionModel: {
      async decide() {
        fail()
        return (record.probabilities ?? []).map((probability, index) => {
          return { id: `p${index}`, probability: toNumber(probability) }
        })
      },
    },
    embedder: { embed: async () => [[1]] },
    corpus: {
      revision: () => 0,
      async findNeighbors(_vector, { count }) {
        fail()
        const found = (record.neighbors ?? []).map(({ text = '', labels, similarity, payload }) => {
          const value = new TextEncoder().encode(payload ?? JSON.stringify({ id: createEntryId(text), labels }))
          return { key: [1], similarity, value }
        })
        return toNeighbors(found.slice(0, count), count)
      },
    },
  }
}

function findModels({ routers = [], missing = [] }: RouteRecord): ModelDirectory {
  return { find: (name) => (routers.includes(name) ? 'router' : missing.includes(name) ? 'missing' : 'model') }
}

function replay(record: RouteRecord): Promise<RouterDecision> {
  const router = createRouter({
    name: 'auto',
    directory: findModels(record),
    ...replayModels(record),
    settings: {
      classifier: record.classifier,
      classifierModel: 'classifier',
      policies: record.policies.map((policy) =>
        typeof policy === 'string' ? { label: policy, description: policy } : policy,
      ),
      candidates: record.candidates,
      fallback: record.fallback,
      activationThreshold: record.activation_threshold,
      knn: {
        embeddingModel: 'embedder',
        k: record.k,
        similarityThreshold: record.similarity_threshold,
        voteThreshold: record.vote_threshold,
      },
    },
  })
  return router.decide('hello')
}

const round = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_key, each) => (typeof each === 'number' ? Math.round(each * 1e6) / 1e6 : each))

describe('the reference', () => {
  const routes = records.filter((record) => record.kind === undefined)

  it('has 84 decisions and 35 parts', () => {
    expect([routes.length, records.length - routes.length]).toEqual([84, 35])
  })

  it.each(routes)('decides as $name', async (record) => {
    const { expected } = record
    if (expected.status !== undefined) {
      await expect(replay(record)).rejects.toMatchObject({ name: 'RouterError', kind: 'internal' })
      return
    }
    const decision = await replay(record)
    const outcome = {
      served_model: decision.servedModel,
      used_fallback: decision.usedFallback,
      label: decision.label,
      classifier: decision.classifier,
      score: decision.score,
      label_scores: decision.labelScores,
      activation_threshold: decision.activationThreshold,
      nearest_similarity: decision.nearestSimilarity,
      neighbors: decision.neighbors,
    }
    if (expected.active === undefined) expect(round(outcome)).toEqual(round(expected))
    else expect({ ...outcome, active: decision.labels }).toMatchObject(expected)
  })

  it('takes the same prompts for equal', () => {
    const keys = records.filter((record) => record.kind === 'cache_key')
    for (const one of keys) {
      for (const other of keys) {
        expect(foldPrompt(one.text) === foldPrompt(other.text), `${one.text} ${other.text}`).toBe(one.key === other.key)
      }
    }
  })

  it('writes the block of routes, the answers and the turn of the user', () => {
    for (const record of records) {
      if (record.kind !== 'prompt_structure') continue
      const system = writeSystemTurn(record.policies)
      const prompt = renderChatml({ system, user: record.probe })
      expect(prompt).toContain(`\n\n${record.contains}\n\n`)
      expect(record.policies.map(({ label }) => writeAnswer(label, '<|im_end|>'))).toEqual(record.candidates)
      const stable = new TextDecoder().decode(
        new TextEncoder()
          .encode(prompt)
          .subarray(0, countCommonBytes(renderChatml({ system, user: 'a' }), renderChatml({ system, user: 'b' }))),
      )
      expect(prompt.slice(stable.length).startsWith(record.user_turn)).toBe(true)
      expect(stable).toContain(record.contains)
    }
  })

  it('finds the probe of a body', () => {
    for (const record of records) {
      if (record.kind !== 'probe') continue
      const { root } = parseJson(new TextEncoder().encode(JSON.stringify(record.body)))
      expect(extractProbe(root, record.wire)).toEqual({ text: record.prompt, turns: record.turns })
    }
  })

  it('finds the token that ends a turn', () => {
    for (const record of records) {
      if (record.kind !== 'turn_end') continue
      expect(chooseTurnEnd(record.stopwords, record.chat_message_template)).toBe(record.token)
    }
  })

  it('routes a text as the probe of one turn', () => {
    expect(createProbe(['hello'])).toEqual({ turns: ['hello'], text: 'hello\n' })
  })
})
