import { SvcError } from '@svc/errors'

/**
 * Refusal of a GGUF file that is damaged, cut off, or has a header with false counts, lengths or offsets. Kind
 * `unprocessable`, code `bad_model_file`. The message is a predicate without the file's name, such as `is cut off`.
 */
export class GgufError extends SvcError {
  override readonly name = 'GgufError'

  constructor(message: string) {
    super('unprocessable', message, { code: 'bad_model_file' })
  }
}
