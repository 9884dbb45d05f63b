import type { Capabilities } from '../../lib/capabilities.ts'
import { hasFeature, type Viewer } from '../../lib/session.ts'

/** Features that routes hang on, in the order of the form. */
const FEATURE_GROUPS = [
  ...(['chat', 'embeddings', 'rerank', 'tokenize', 'moderation', 'pii_filter', 'images', 'video', '3d'] as const),
  ...(['audio_speech', 'audio_transcription', 'audio_diarization', 'audio_classification', 'audio_transform'] as const),
  ...(['vad', 'sound', 'realtime', 'detection', 'face_recognition', 'voice_recognition', 'stores', 'mcp'] as const),
  ...(['decisions', 'agents', 'skills', 'collections', 'mcp_jobs', 'assistant', 'fine_tuning'] as const),
  'quantization',
] as const

/** The groups of routes to which a key can be limited: the server has them and the viewer may use them. */
export function listRouteGroups(capabilities: Partial<Capabilities>, viewer: Viewer): readonly string[] {
  const features = FEATURE_GROUPS.filter((name) => capabilities[name] === true && hasFeature(viewer, name))
  return ['general', ...features, 'account', ...(viewer.isAdmin ? ['admin'] : [])]
}

/** Whether the limits of a key allow nothing: a list is on and empty. */
export function isUseless({
  routes,
  models,
  addresses,
}: {
  readonly routes?: readonly string[]
  readonly models?: readonly string[]
  readonly addresses?: readonly string[]
}): boolean {
  return routes?.length === 0 || models?.length === 0 || addresses?.length === 0
}
