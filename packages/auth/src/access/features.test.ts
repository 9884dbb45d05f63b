import { expect, it } from 'vitest'
import { FEATURES, isFeature, resolveFeatures } from './features.ts'

it.each([
  ['agents', 'Agents', 'agent', false],
  ['skills', 'Skills', 'agent', false],
  ['collections', 'Collections', 'agent', false],
  ['mcp_jobs', 'MCP jobs', 'agent', false],
  ['assistant', 'Assistant', 'agent', false],
  ['fine_tuning', 'Fine-tuning', 'general', false],
  ['quantization', 'Quantization', 'general', false],
  ['chat', 'Chat and completions', 'api', true],
  ['images', 'Images', 'api', true],
  ['audio_speech', 'Speech', 'api', true],
  ['audio_transcription', 'Transcription', 'api', true],
  ['audio_diarization', 'Diarization', 'api', true],
  ['audio_classification', 'Audio classification', 'api', true],
  ['vad', 'Voice activity', 'api', true],
  ['detection', 'Object detection', 'api', true],
  ['video', 'Video', 'api', true],
  ['3d', '3D', 'api', true],
  ['embeddings', 'Embeddings', 'api', true],
  ['sound', 'Sound generation', 'api', true],
  ['realtime', 'Realtime', 'api', true],
  ['moderation', 'Moderation', 'api', true],
  ['rerank', 'Rerank', 'api', true],
  ['tokenize', 'Tokenize', 'api', true],
  ['mcp', 'MCP', 'api', true],
  ['stores', 'Vector stores', 'api', true],
  ['face_recognition', 'Face recognition', 'api', true],
  ['voice_recognition', 'Voice recognition', 'api', true],
  ['audio_transform', 'Audio transformation', 'api', true],
  ['pii_filter', 'PII filter', 'api', true],
  ['decisions', 'Decisions', 'api', true],
])('%s is called %s, belongs to %s, and is on: %s', (key, label, group, isOn) => {
  expect(FEATURES.find((row) => row.key === key)).toEqual({ key, label, group, default: isOn })
  expect(isFeature(key)).toBe(true)
  expect(resolveFeatures({})).toSatisfy((features: ReadonlySet<string>) => features.has(key) === isOn)
})

it('there are no others', () => {
  expect(FEATURES).toHaveLength(30)
  for (const wrong of ['', 'Chat', 'chat ', 'toString', undefined, null, 7, ['chat']])
    expect(isFeature(wrong)).toBe(false)
})

it('an account has those set by hand, and else the defaults', () => {
  const features = resolveFeatures({ chat: false, agents: true, images: true, skills: false })
  expect([features.has('chat'), features.has('agents'), features.has('images'), features.has('skills')]).toEqual([
    false,
    true,
    true,
    false,
  ])
  expect(features.size).toBe(resolveFeatures({}).size)
})
