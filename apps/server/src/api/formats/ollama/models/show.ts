import type { OllamaShowReply } from '@svc/wire/ollama'
import type { ModelConfig } from '../../../../catalog/model-config.ts'
import { toDetails, toOllamaCapabilities } from './describe.ts'

/** Describes a model for `POST /api/show`, without the operator's system prompt. */
export function showModel(model: ModelConfig): OllamaShowReply {
  const template = model.template.chat ?? ''
  const parameters = toParameterLines(model)
  return {
    modelfile: toModelfile(model.name, { template, parameters }),
    parameters: parameters.join('\n'),
    template,
    details: toDetails(model),
    model_info: toModelInfo(model),
    capabilities: toOllamaCapabilities(model),
    modified_at: new Date(model.modifiedAt).toISOString(),
  }
}

function toParameterLines({ parameters, contextSize, llm }: ModelConfig): string[] {
  const values: Readonly<Record<string, number | undefined>> = {
    num_ctx: contextSize !== undefined && contextSize > 0 ? contextSize : undefined,
    num_predict: toNumPredict(parameters.maxTokens),
    temperature: parameters.temperature,
    top_k: parameters.topK,
    top_p: parameters.topP,
    min_p: parameters.minP,
    repeat_penalty: parameters.repeatPenalty,
    repeat_last_n: parameters.repeatLastN,
    seed: parameters.seed,
  }
  const numbers = Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, `${value}`]]))
  const stops = (llm.stopwords ?? []).map((word) => ['stop', JSON.stringify(word)])
  return [...numbers, ...stops].map(([name = '', value = '']) => `${name.padEnd(30)} ${value}`)
}

/** Clients of the format read 0 as no tokens at all and -1 as no limit. In model files, 0 means no limit. */
function toNumPredict(maxTokens: number | undefined): number | undefined {
  return maxTokens !== undefined && maxTokens <= 0 ? -1 : maxTokens
}

function toModelfile(
  name: string,
  { template, parameters }: { readonly template: string; readonly parameters: readonly string[] },
): string {
  const lines = [`FROM ${name}`]
  if (template !== '') lines.push(`TEMPLATE """${template}"""`)
  for (const parameter of parameters) lines.push(`PARAMETER ${parameter.replace(/ +/, ' ')}`)
  return `${lines.join('\n')}\n`
}

function toModelInfo({ gguf }: ModelConfig): OllamaShowReply['model_info'] {
  if (gguf === undefined) return {}
  const { architecture, name, fileType, contextLength, poolingType } = gguf
  const facts = {
    'general.architecture': architecture === '' ? undefined : architecture,
    'general.name': name,
    'general.file_type': fileType,
    [`${architecture}.context_length`]: contextLength,
    [`${architecture}.pooling_type`]: poolingType,
  }
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined))
}
