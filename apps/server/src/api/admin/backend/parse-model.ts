import { parseBody } from '@svc/wire'
import { modelBody } from './bodies.ts'

/** The name of the model in a body. @throws {SvcError} `invalid_request` */
export function parseModel(body: unknown): string {
  return parseBody(modelBody, body).model
}
