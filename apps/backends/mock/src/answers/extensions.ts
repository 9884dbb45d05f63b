import { readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import {
  backendMethods,
  extensionMethods,
  type PartialMessage,
  type PromptToken,
  RerankSupport,
  SlotSupport,
  type TokenLikelihood,
} from '@svc/backend-client/proto'
import { SvcError } from '@svc/errors'
import type { ExtensionAnswers, MockState } from '../state.ts'
import { measureOverlap, splitWords } from '../words.ts'

/** Slots, decisions and capabilities of the mock. */
export const extensionAnswers: ExtensionAnswers = {
  capabilities(_request, { mock }) {
    const has = (path: string) => !mock.script.without?.includes(rpcName(path))
    const names = (methods: object) =>
      Object.values(methods)
        .map(({ path }: { path: string }) => rpcName(path))
        .filter(has)
    return {
      backend: 'mock',
      version: '0',
      rpcs: names(backendMethods),
      extensionRpcs: names(extensionMethods),
      slots: slotSupport(mock),
      rerank: has('Rerank') ? RerankSupport.RERANK_SUPPORT_HEAD : RerankSupport.RERANK_SUPPORT_NONE,
      decisions: has('Decide'),
      scoring: has('Score') && (mock.loaded?.EnableScore ?? false),
      embeddings: has('Embedding'),
      tokenClassification: has('TokenClassify'),
      grammar: false,
      logprobs: true,
      inputModalities: ['image', 'audio', 'video'],
      contextSize: mock.loaded?.ContextSize ?? 0,
      slotCount: 1,
      embeddingDimension: mock.script.embeddingDimension ?? 64,
    }
  },
  saveSlot({ slot, path, maxBytes }, { mock }) {
    requireSlots(mock)
    const tokens = mock.slots.get(slot) ?? 0
    writeFileSync(path, JSON.stringify({ mock: 'slot', tokens }))
    if (mock.script.slotBytes !== undefined) truncateSync(path, mock.script.slotBytes)
    const bytes = statSync(path).size
    if (maxBytes > 0n && BigInt(bytes) > maxBytes) {
      rmSync(path)
      throw new SvcError('insufficient_storage', 'the slot state exceeds the size limit', { code: 'slot_too_large' })
    }
    return { tokens, bytes, milliseconds: 1 }
  },
  restoreSlot({ slot, path }, { mock }) {
    requireSlots(mock)
    const text = readFileSync(path, 'utf8')
    const match = /^\{"mock":"slot","tokens":(\d+)\}/.exec(text)
    if (!match) throw new SvcError('invalid_request', 'this is not a slot file', { code: 'slot_invalid' })
    const tokens = Number(match[1])
    mock.slots.set(slot, tokens)
    return { tokens, bytes: text.length, milliseconds: 1 }
  },
  /** A yes is the more likely, the more words of the question the document has. */
  decide({ document, questions }) {
    return {
      answers: questions.map(({ id, instruction, trueCriteria }) => ({
        id,
        probability: 0.05 + 0.9 * measureOverlap(trueCriteria || instruction, document),
      })),
      promptTokens: splitWords(document).length,
    }
  },
  promptLogprobs({ prompt, tokens, topLogprobs }, { mock: { vocabulary } }) {
    const words = readPromptWords(prompt || vocabulary.decode(tokens), topLogprobs)
    const next = listOthers(topLogprobs)
    return { tokens: words, next, end: { text: Buffer.from('</s>'), logProb: -2 }, promptTokens: words.length }
  },
}

/** A word that the prompt repeats is the likeliest at its place, a new one is not. */
function readPromptWords(prompt: string, count: number): PartialMessage<PromptToken>[] {
  const known = new Set<string>()
  return (prompt.match(/\s*\S+|\s+$/g) ?? []).map((text, index) => {
    const isKnown = known.has(text.trim())
    known.add(text.trim())
    const token = { text: Buffer.from(text), logProb: index === 0 ? 0 : isKnown ? -0.125 : -4 }
    const top = isKnown ? [token, ...listOthers(count)] : listOthers(count)
    return { token, top: index === 0 ? [] : top.slice(0, count) }
  })
}

function listOthers(count: number): PartialMessage<TokenLikelihood>[] {
  return Array.from({ length: count }, (_, index) => ({ text: Buffer.from(`other-${index}`), logProb: -1 - index }))
}

function rpcName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** As in llama.cpp, slots can be saved once the load names a folder for them. */
function slotSupport({ loaded }: MockState): SlotSupport {
  const isOn = loaded?.Options.some((option) => /^(?:--)?slot[-_]save[-_]path:/.test(option))
  return isOn ? SlotSupport.SLOT_SUPPORT_ENABLED : SlotSupport.SLOT_SUPPORT_DISABLED
}

function requireSlots(mock: MockState): void {
  if (slotSupport(mock) === SlotSupport.SLOT_SUPPORT_ENABLED) return
  throw new SvcError('precondition_failed', 'slot save/restore is disabled', { code: 'slots_disabled' })
}
