import { SvcError } from '@svc/errors'
import { type JsonNode, parseJsonCooperatively } from '@svc/json'
import type { ModelConfig } from '../../../catalog/model-config.ts'
import type { BodyReader } from '../../../http/body.ts'
import type { Call } from '../../../http/call.ts'
import { unparsable } from '../../../inference/documents/unparsable.ts'

/** Finds models for these routes. */
export interface ModelFinder {
  /** Gives the model of a name and follows an alias; undefined when there is none. */
  resolve(name: string): ModelConfig | undefined
}

/**
 * Reads the model's name in the body of a call.
 *
 * @param missing message for a body without a name
 * @throws {SvcError} `invalid_request`
 */
export function readModelName(call: Call, bodies: BodyReader, missing: string): Promise<string> {
  return readNamed(call, bodies, {
    missing,
    parse: async (root) => (await import('./parse-model.ts')).parseModel({ model: root.get('model')?.toValue() }),
  })
}

/** Reads the body of a shutdown. @throws {SvcError} `invalid_request` */
export function readShutdown(
  call: Call,
  bodies: BodyReader,
): Promise<{ readonly model: string; readonly force: boolean }> {
  return readNamed(call, bodies, {
    missing: 'model is required',
    parse: async (root) =>
      (await import('./parse-model.ts')).parseShutdown({
        model: root.get('model')?.toValue(),
        force: root.get('force')?.toValue(),
      }),
  })
}

async function readNamed<T>(
  call: Call,
  bodies: BodyReader,
  { missing, parse }: { readonly missing: string; readonly parse: (root: JsonNode) => Promise<T> },
): Promise<T> {
  const held = await bodies.read(call)
  try {
    if (held.bytes.length === 0) throw modelRequired(missing)
    const { root } = await parseJsonCooperatively(held.bytes, {}, { signal: call.signal })
    const name = root.get('model')
    if (name === undefined || name.kind === 'null' || (name.kind === 'string' && name.text() === '')) {
      throw modelRequired(missing)
    }
    return await parse(root)
  } catch (error) {
    if (!SvcError.is(error) || error.kind !== 'invalid_request' || error.code === 'model_required') throw error
    throw unparsable(error.message, error.details?.param)
  } finally {
    held.release()
  }
}

/** Creates the error of routes that need a loaded model (§4.5). */
export function notLoaded(name: string): SvcError {
  return new SvcError('internal', `model "${name}" is not loaded`, { code: 'model_not_loaded' })
}

function modelRequired(message: string): SvcError {
  return new SvcError('invalid_request', message, { code: 'model_required', details: { param: 'model' } })
}

/**
 * Finds the model of a name. On these routes an unknown name is a bad request (§4.5).
 *
 * @throws {SvcError} `invalid_request`
 */
export function findModel(models: ModelFinder, name: string): ModelConfig {
  const model = models.resolve(name)
  if (model !== undefined) return model
  throw new SvcError('invalid_request', `model "${name}" not found`, {
    code: 'model_not_found',
    details: { type: 'invalid_request_error', param: 'model' },
  })
}
