import { gateOnly, type RouteInfo } from '../../http/route-info.ts'

/** Admin routes of later features. A user gets 403, an admin 404; none of them is open (§5.4). */
const ADMIN_GET = [
  '/api/traces',
  '/api/traces/*',
  '/api/backend-traces',
  '/api/backend-traces/*',
  '/api/backend-logs',
  '/api/backend-logs/*',
  '/api/operations/*',
  '/api/models',
  '/api/models/*',
  '/api/backends',
  '/api/backends/*',
  '/api/p2p',
  '/api/p2p/*',
  '/api/agents',
  '/api/agents/*',
  '/api/agent/*',
  '/api/nodes',
  '/api/nodes/*',
  '/api/auth/admin/*',
  '/backends',
  '/backends/*',
  '/models/available',
  '/models/galleries',
  '/models/jobs',
  '/models/jobs/*',
]

const ADMIN_POST = [
  '/api/traces/clear',
  '/api/backend-traces/clear',
  '/api/backend-logs/*',
  '/api/operations/*',
  '/api/models/*',
  '/api/backends/*',
  '/api/agents',
  '/api/agents/*',
  '/api/agent/*',
  '/api/nodes/*',
  '/api/branding/*',
  '/api/auth/admin/*',
  '/backends/*',
  '/models/apply',
  '/models/delete/*',
  '/models/import',
  '/models/import-uri',
  '/models/edit/*',
  '/v1/slots/save',
  '/v1/slots/restore',
]

const ADMIN_OTHER: readonly (readonly ['PUT' | 'PATCH' | 'DELETE', string])[] = [
  ['DELETE', '/api/branding/*'],
  ['DELETE', '/api/auth/admin/*'],
  ['PUT', '/api/auth/admin/*'],
  ['PATCH', '/api/models/config-json/:name'],
  ['DELETE', '/api/nodes/*'],
  ['PUT', '/models/*'],
]

/** Routes with which clients of the alternate ecosystem change models. Their errors are a string. */
const OLLAMA_ADMIN: readonly (readonly ['POST' | 'DELETE', string])[] = [
  ['POST', '/api/pull'],
  ['POST', '/api/push'],
  ['POST', '/api/create'],
  ['POST', '/api/copy'],
  ['DELETE', '/api/delete'],
]

/** Inference routes of later features. They need credentials already (§4.1, §4.3). */
const USER_POST: readonly (readonly [string, Pick<RouteInfo, 'feature' | 'family'>?])[] = [
  ['/v1/mcp/chat/completions'],
  ['/mcp/v1/chat/completions'],
  ['/mcp/chat/completions'],
  ...['/v1/images/generations', '/images/generations', '/v1/images/edits', '/images/edits'].map(
    (path) => [path, { feature: 'images', family: 'compatible' }] as const,
  ),
  ['/v1/audio/*'],
  ['/audio/transcriptions', { feature: 'audio_transcription', family: 'compatible' }],
  ['/audio/speech', { feature: 'audio_speech', family: 'compatible' }],
  ['/tts', { feature: 'audio_speech', family: 'compatible' }],
  ['/vad', { feature: 'vad', family: 'compatible' }],
  ['/video', { feature: 'video', family: 'compatible' }],
  ['/v1/video/generations', { feature: 'video', family: 'compatible' }],
  ['/v1/text-to-speech/:voice_id', { feature: 'audio_speech', family: 'vendor' }],
  ['/v1/sound-generation', { feature: 'sound', family: 'vendor' }],
  ['/v1/detection', { feature: 'detection', family: 'compatible' }],
  ['/stores/*', { feature: 'stores', family: 'compatible' }],
]

const USER_GET = [
  '/generated-audio/*',
  '/generated-images/*',
  '/generated-videos/*',
  '/generated-3d/*',
  '/api/features',
  '/api/cors-proxy',
  // Public page: the invite code is the credential.
  '/invite',
]

/** Reserved routes of features that are not built. */
export const RESERVED_ROUTES: readonly RouteInfo[] = [
  ...ADMIN_GET.map((path) => gateOnly('GET', path)),
  ...ADMIN_POST.map((path) => gateOnly('POST', path)),
  ...ADMIN_OTHER.map(([method, path]) => gateOnly(method, path)),
  ...OLLAMA_ADMIN.map(([method, path]) => gateOnly(method, path, { family: 'string' })),
  ...USER_POST.map(([path, route]) => gateOnly('POST', path, { access: 'any', ...route })),
  ...USER_GET.map((path) => gateOnly('GET', path, { access: 'any' })),
]
