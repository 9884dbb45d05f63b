import type { PrivateFiles } from '../../files/private-files.ts'
import type { FormRules, HeldForm } from '../../inference/documents/form.ts'
import type { BodyReader, BodySource } from '../body.ts'
import { ByteBudget } from '../byte-meter.ts'

/** Bytes of the temporary files of all forms together. */
const FILES_TOTAL_BYTES = 4 * 1024 * 1024 * 1024

/** Reads the forms of requests. */
export interface FormReader {
  /**
   * Reads a form. Its user calls `release` when it needs it no longer.
   *
   * @throws {SvcError} as {@link BodyReader.read}; `invalid_request`, `insufficient_storage`
   */
  read(call: BodySource, rules: FormRules): Promise<HeldForm>
  /** Bytes of the temporary files now. */
  readonly fileBytes: number
}

/** Options of {@link createFormReader}. */
export interface FormReaderOptions {
  readonly bodies: Pick<BodyReader, 'stream' | 'meter' | 'maxBytes'>
  readonly files: PrivateFiles
  /** @default 4 GiB */
  readonly totalFileBytes?: number | undefined
}

/** Creates the reader of all forms of a server. The first form loads the parser. */
export function createFormReader({ bodies, files, totalFileBytes }: FormReaderOptions): FormReader {
  const disk = new ByteBudget(totalFileBytes ?? FILES_TOTAL_BYTES)
  return {
    get fileBytes() {
      return disk.heldBytes
    },
    async read(call, rules) {
      const { receiveForm } = await import('./receive-form.ts')
      return await receiveForm(bodies.stream(call), {
        contentType: call.incoming.headers['content-type'],
        rules,
        maxFileBytes: bodies.maxBytes,
        files,
        memory: bodies.meter(),
        disk: disk.open(),
        abort: call.abort,
      })
    },
  }
}
