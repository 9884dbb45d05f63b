import { listPaths, type RouteInfo } from '../../src/http/route-info.ts'
import type { TestServer } from './server.ts'

/** Formats of routes that are filtered for some models only. */
type SometimesScanned = 'media' | 'moderations' | 'rerank' | 'score' | 'tokenize'
const SOMETIMES: ReadonlySet<string> = new Set<SometimesScanned>([
  'media',
  'moderations',
  'rerank',
  'score',
  'tokenize',
])

function isAlways(scanned: RouteInfo['scanned']): scanned is ScannedRoute['scanned'] {
  return typeof scanned === 'string' && !SOMETIMES.has(scanned)
}

/** A route whose bodies the PII filter reads. */
export interface ScannedRoute extends RouteInfo {
  readonly scanned: Exclude<NonNullable<RouteInfo['scanned']>, false | SometimesScanned>
}

/** Lists every route of a server with `scanned`, from its table. */
function listScannedRoutes({ server }: TestServer): ScannedRoute[] {
  return server.routes.flatMap(({ scanned, ...route }) => (isAlways(scanned) ? [{ ...route, scanned }] : []))
}

/** Lists every path of the scanned routes that takes requests, with its route. */
export function listScannedPaths(server: TestServer): [path: string, route: ScannedRoute][] {
  return listScannedRoutes(server)
    .filter(({ method }) => method === 'POST')
    .flatMap((route) =>
      listPaths(route).map((path): [string, ScannedRoute] => [path.replace(/:[A-Za-z_-]+/g, 'm'), route]),
    )
}

/** Creates a body of the route's format with a text. */
export function bodyWith({ scanned, path }: ScannedRoute, text: string): Record<string, unknown> {
  const messages = [{ role: 'user', content: text }]
  switch (scanned) {
    case 'chat-completions':
    case 'ollama-chat':
      // Without tools no server of a model is needed.
      return { messages, stream: false, ...(path.includes('/mcp/') ? { tool_choice: 'none' } : {}) }
    case 'messages':
      return { messages, max_tokens: 5 }
    case 'completions':
      return { prompt: text }
    case 'embeddings':
      return { input: text }
    case 'edits':
      return { instruction: text, input: text }
    case 'responses':
      return { input: text, store: false }
    case 'ollama-generate':
      return { prompt: text, stream: false }
    case 'ollama-embed':
      return path === '/api/embeddings' ? { prompt: text } : { input: text }
  }
}
