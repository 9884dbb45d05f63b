import { SvcError } from '@svc/errors'
import type { ProbeFormat } from '@svc/router'
import type { ModelConfig } from '../catalog/model-config.ts'
import type { RequestRoute } from '../inference/core/ports.ts'

/** The routes that generate text, and how their bodies say what is asked. */
export const ROUTED_ROUTES: Readonly<Record<string, ProbeFormat>> = {
  '/v1/chat/completions': 'chat',
  '/v1/messages': 'messages',
  '/v1/responses': 'responses',
  '/v1/completions': 'completions',
  '/v1/edits': 'edits',
  '/api/chat': 'ollama-chat',
  '/api/generate': 'ollama-generate',
}

/** Routes that measure a request of the routes above. A router picks the model that would serve it. */
const MEASURING_ROUTES: Readonly<Record<string, ProbeFormat>> = {
  '/v1/messages/count_tokens': 'messages',
  '/v1/responses/input_tokens': 'responses',
}

/** The member of a body without which it asks for nothing. */
const NEEDED_MEMBER: Readonly<Record<ProbeFormat, string>> = {
  chat: 'messages',
  messages: 'messages',
  'ollama-chat': 'messages',
  responses: 'input',
  completions: 'prompt',
  edits: 'instruction',
  'ollama-generate': 'prompt',
}

/**
 * Finds the form in which the body of a route says what is asked.
 *
 * @throws {SvcError} `invalid_request` naming the routes that a router serves
 */
export function findProbeFormat({ path }: RequestRoute, { name }: ModelConfig): ProbeFormat {
  const format = ROUTED_ROUTES[path] ?? MEASURING_ROUTES[path]
  if (format !== undefined) return format
  throw new SvcError(
    'invalid_request',
    `model "${name}" is a router and is served by ${Object.keys(ROUTED_ROUTES).join(', ')} only`,
    { code: 'route_not_served', details: { type: 'invalid_request_error', param: 'model' } },
  )
}

/** Makes the refusal of a body that a router cannot read. */
export function nothingAsked(format: ProbeFormat): SvcError {
  const member = NEEDED_MEMBER[format]
  return new SvcError(
    'invalid_request',
    `failed parsing request body: ${member}: is missing or has a wrong type; a router reads it`,
    { code: 'unparsable_body', details: { type: 'invalid_request_error', param: member } },
  )
}
