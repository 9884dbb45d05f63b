import { SvcError } from '@svc/errors'

/**
 * A file that is no sound GGUF file: damaged, cut off, or with a header that lies. Kind `unprocessable`, code
 * `bad_model_file`. The message is a predicate without the file's name, such as `is cut off`.
 */
export class GgufError extends SvcError {
  override readonly name = 'GgufError'

  constructor(message: string) {
    super('unprocessable', message, { code: 'bad_model_file' })
  }
}
