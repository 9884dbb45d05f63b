/** The server's knowledge of a model, as the page of a model shows it. */
export interface Knowledge {
  readonly family: string
  readonly format: string
  readonly parameters: string
  readonly quantization: string
  /** In tokens; undefined if it is unknown. */
  readonly context: number | undefined
  readonly hasTemplate: boolean
  readonly modifiedAt: string | undefined
}

interface Shown {
  readonly template?: string | undefined
  readonly details?: Readonly<Record<string, unknown>> | undefined
  readonly model_info?: Readonly<Record<string, unknown>> | undefined
  readonly modified_at?: string | undefined
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Reads a reply of the route that shows a model. */
export function readKnowledge({ template, details = {}, model_info: info = {}, modified_at: at }: Shown): Knowledge {
  const context = Object.entries(info).find(([key]) => key.endsWith('.context_length'))?.[1]
  return {
    family: toText(details.family),
    format: toText(details.format),
    parameters: toText(details.parameter_size),
    quantization: toText(details.quantization_level),
    context: typeof context === 'number' && context > 0 ? context : undefined,
    hasTemplate: toText(template) !== '' || info['tokenizer.chat_template'] !== undefined,
    modifiedAt: at !== undefined && Date.parse(at) > 0 ? at : undefined,
  }
}
