import { HttpReply } from '../../../http/http-reply.ts'
import { defineRoute, type Route } from '../../../http/route.ts'

/** `GET /` with the answer that clients of the alternate ecosystem look for. */
export function ollamaRootRoute(): Route {
  return defineRoute({
    method: 'GET',
    path: '/',
    access: 'none',
    family: 'string',
    tag: 'pages',
    summary: 'Says that a server of the alternate ecosystem runs',
    responses: { 200: { description: 'A sentence.', contentType: 'text/plain' } },
    handler: () => new HttpReply('Ollama is running', { headers: { 'content-type': 'text/plain; charset=utf-8' } }),
  })
}
