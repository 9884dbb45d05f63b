import { invalidValue } from './errors.ts'

/**
 * Passes the name of a model that exists.
 *
 * @param field how the message calls the field
 * @throws {AuthError} `invalid_request` for another name
 */
export function checkModelExists(
  model: string,
  { hasModel, field }: { readonly hasModel: ((name: string) => boolean) | undefined; readonly field: string },
): void {
  if (hasModel?.(model) === false)
    throw invalidValue(`${field}: there is no model ${JSON.stringify(model)}`, 'unknown_model')
}
