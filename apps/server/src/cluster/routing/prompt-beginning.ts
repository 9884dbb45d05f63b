import type { GenerationRequest } from '../../inference/core/request.ts'

/**
 * The text of a request as far as prefix caches care: equal beginnings of requests give equal beginnings of texts. It is
 * not the prompt, which is written only after a replica was chosen.
 */
export function promptBeginning(request: GenerationRequest): string {
  if (request.kind === 'completion') {
    const [first = ''] = request.prompts
    return typeof first === 'string' ? first : first.join(' ')
  }
  const tools = request.tools === undefined || request.tools.length === 0 ? '' : `${JSON.stringify(request.tools)}\n`
  return tools + request.messages.map(({ role, content }) => `${role}: ${content}`).join('\n')
}
