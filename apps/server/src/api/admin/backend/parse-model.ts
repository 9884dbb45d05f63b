import { parseBody } from '@svc/wire/parse-body'
import { modelBody, shutdownBody } from './bodies.ts'

/** The name of the model in a body. @throws {SvcError} `invalid_request` */
export function parseModel(body: unknown): string {
  return parseBody(modelBody, body).model
}

/** The model of a shutdown, and whether its calls are ended. @throws {SvcError} `invalid_request` */
export function parseShutdown(body: unknown): { readonly model: string; readonly force: boolean } {
  const { model, force } = parseBody(shutdownBody, body)
  return { model, force: force ?? false }
}
