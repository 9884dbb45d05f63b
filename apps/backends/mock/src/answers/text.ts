import { EmbeddingLayout } from '@svc/backend-client/proto'
import { SvcError } from '@svc/errors'
import { classifyTokens } from '../classify-tokens.ts'
import { embedText } from '../embed-text.ts'
import { toPrompt } from '../prediction.ts'
import type { BackendAnswers } from '../state.ts'
import { hashText, measureOverlap, splitWords, toWords } from '../words.ts'

/** Rpcs that read text and do not generate text. */
export const textAnswers = {
  embedding(request, { mock: { script, vocabulary } }) {
    const dim = script.embeddingDimension ?? 64
    const text = request.Embeddings || vocabulary.decode(request.EmbeddingTokens)
    const words = splitWords(text)
    const isFinal = (script.embeddingLayout ?? 'final') === 'final'
    const vectors = isFinal ? [embedText(text, dim)] : words.map((word) => embedText(word, dim))
    return {
      embeddings: vectors.flat(),
      tokens: vectors.length,
      dim,
      promptTokens: words.length,
      layout: isFinal ? EmbeddingLayout.EMBEDDING_LAYOUT_FINAL : EmbeddingLayout.EMBEDDING_LAYOUT_PER_TOKEN,
    }
  },
  tokenizeString(request, { mock }) {
    const tokens = mock.vocabulary.encode(toPrompt(request))
    return { length: tokens.length, tokens }
  },
  detokenize: ({ tokens }, { mock }) => ({ content: mock.vocabulary.decode(tokens) }),
  tokenClassify: ({ text, threshold }) => ({ entities: classifyTokens(text, threshold) }),
  /** In the order of the request: the host sorts. */
  rerank({ query, documents, topN }) {
    const scored = documents.map((text, index) => ({ index, text, relevanceScore: measureOverlap(query, text) }))
    const best = [...scored].sort((a, b) => b.relevanceScore - a.relevanceScore)
    const kept = topN > 0 ? best.slice(0, topN) : best
    const tokens = [query, ...documents].reduce((sum, text) => sum + splitWords(text).length, 0)
    return {
      usage: { totalTokens: tokens, promptTokens: tokens },
      results: kept.sort((a, b) => a.index - b.index),
    }
  },
  score({ prompt, candidates, includeTokenLogprobs, lengthNormalize }, { mock: { loaded } }) {
    if (!loaded?.EnableScore) {
      throw new SvcError('invalid_request', 'scoring is not enabled for this model', { code: 'score_disabled' })
    }
    return {
      candidates: candidates.map((candidate) => {
        const tokens = scoreTokens(candidate, prompt)
        const logProb = tokens.reduce((sum, token) => sum + token.logProb, 0)
        return {
          logProb,
          lengthNormalizedLogProb: lengthNormalize && tokens.length > 0 ? logProb / tokens.length : 0,
          tokens: includeTokenLogprobs ? tokens : [],
          numTokens: tokens.length,
        }
      }),
    }
  },
} satisfies Partial<BackendAnswers>

/** A word of the prompt is likely, any other word is not. */
function scoreTokens(candidate: string, prompt: string): Array<{ token: string; logProb: number }> {
  const known = new Set(toWords(prompt))
  return splitWords(candidate).map((token) => {
    const isKnown = toWords(token).some((word) => known.has(word))
    return { token, logProb: -(isKnown ? 0.1 : 3) - (hashText(token) % 100) / 1000 }
  })
}
