import type { FormField, FormFile } from './multipart.ts'
import type { ServiceTransport } from './transport.ts'

/** Builds the fields of a form with an audio file: the model, the file and the given options. */
export function toAudioForm(
  { target }: ServiceTransport,
  file: FormFile,
  options: Readonly<Record<string, unknown>>,
): FormField[] {
  const rest = Object.entries(options).map(([name, value]): FormField => [name, String(value)])
  return [['model', target.model], ['file', file], ...rest]
}
