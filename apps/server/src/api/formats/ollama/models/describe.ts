import { hash } from 'node:crypto'
import type { OllamaModelDetails } from '@svc/wire/ollama'
import { listCapabilities } from '../../../../catalog/capabilities.ts'
import type { ModelConfig } from '../../../../catalog/model-config.ts'
import { hasUsecase } from '../../../../catalog/usecases.ts'
import { readWeightsName } from '../../../../catalog/weights-name.ts'

/** Converts a name to the form of this ecosystem: a name without a tag gets the tag `latest`. */
export function toTaggedName(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1).includes(':') ? name : `${name}:latest`
}

/** Stable and different for each name; no weights are read for it. */
export function toDigest(name: string): string {
  return `sha256:${hash('sha256', name, 'hex')}`
}

/** Describes the weights of a model from their header and name. */
export function toDetails({ gguf, parameters, name }: ModelConfig): OllamaModelDetails {
  const weights = parameters.model ?? ''
  const { quantization, parameterSize } = readWeightsName(weights === '' ? name : weights)
  const family = gguf?.architecture ?? ''
  return {
    parent_model: '',
    format: gguf !== undefined || /\.gguf$/i.test(weights) ? 'gguf' : '',
    family,
    families: family === '' ? [] : [family],
    parameter_size: parameterSize,
    quantization_level: quantization,
  }
}

/** Lists the capabilities of a model in the words of this ecosystem. */
export function toOllamaCapabilities(model: ModelConfig): string[] {
  const known = new Set(listCapabilities(model))
  const isChat = known.has('chat')
  const listed: Readonly<Record<string, boolean>> = {
    completion: isChat || known.has('completion'),
    embedding: hasUsecase(model, 'embeddings'),
    vision: isChat && known.has('vision'),
    tools: known.has('tools') || (isChat && takesTools(model)),
    thinking: known.has('thinking'),
  }
  return Object.keys(listed).filter((name) => listed[name])
}

/** Whether the templates can show tools: one of the model file, or one in the weights. */
function takesTools({ template }: ModelConfig): boolean {
  return template.useTokenizerTemplate === true || (template.function ?? '') !== ''
}
