import { RerankSupport, SlotSupport } from '@svc/backend-client/proto'
import { expect, it } from 'vitest'
import { describeHandlers } from './capabilities.ts'

it('always has Health and Capabilities', () => {
  expect(describeHandlers({})).toEqual({
    rpcs: ['Health'],
    extensionRpcs: ['Capabilities'],
    slots: SlotSupport.SLOT_SUPPORT_NONE,
    rerank: RerankSupport.RERANK_SUPPORT_NONE,
    decisions: false,
    scoring: false,
    embeddings: false,
    tokenClassification: false,
  })
})

it('names rpcs as the contract does, and reads abilities from them', () => {
  const handlers = {
    tts: () => ({}),
    generate3D: () => ({}),
    embedding: () => ({}),
    rerank: () => ({}),
    score: undefined,
  }
  const extensions = { saveSlot: () => ({}), restoreSlot: () => ({}), decide: () => ({}) }
  expect(describeHandlers(handlers, extensions)).toMatchObject({
    rpcs: ['Health', 'Embedding', 'Rerank', 'TTS', 'Generate3D'],
    extensionRpcs: ['Capabilities', 'SaveSlot', 'RestoreSlot', 'Decide'],
    slots: SlotSupport.SLOT_SUPPORT_ENABLED,
    rerank: RerankSupport.RERANK_SUPPORT_HEAD,
    decisions: true,
    scoring: false,
    embeddings: true,
  })
})

it('has no slots where they can be saved but not restored', () => {
  expect(describeHandlers({}, { saveSlot: () => ({}) }).slots).toBe(SlotSupport.SLOT_SUPPORT_NONE)
})
