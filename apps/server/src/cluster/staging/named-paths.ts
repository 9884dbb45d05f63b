import { isAbsolute, resolve } from 'node:path'
import type { PartialMessage } from '@svc/backend-client'
import type { ModelOptions } from '@svc/backend-client/proto'
import { isSlotOption } from '../../catalog/slot-save-path.ts'

type Request = PartialMessage<ModelOptions>

/** Fields with a path, or with a name that may be one. */
const PATH_FIELDS = [
  ...(['ModelFile', 'MMProj', 'DraftModel', 'LoraAdapter', 'LoraBase', 'AudioPath'] as const),
  ...(['Tokenizer', 'CLIPModel', 'ControlNet'] as const),
]
const MAX_OPTIONS = 1000

/** Paths that a load request names, absolute; those of files that may have others beside them are weights. */
export function listNamedPaths(
  request: Request,
  models: string,
): readonly { readonly path: string; readonly isWeights: boolean }[] {
  const weights = [
    ...(['ModelFile', 'Model', 'MMProj', 'DraftModel', 'LoraAdapter', 'LoraBase'] as const).map(
      (name) => request[name],
    ),
    ...(request.LoraAdapters ?? []),
  ]
  const others = [request.AudioPath, request.Tokenizer, request.CLIPModel, request.ControlNet]
  const options = (request.Options ?? []).slice(0, MAX_OPTIONS).filter((option) => !isSlotOption(option))
  const texts: string[] = []
  mapJsonTexts(request.EngineArgs ?? '', (text) => {
    texts.push(text)
    return text
  })
  const toNamed = (isWeights: boolean) => (text: string | undefined) => {
    const value = text?.trim() ?? ''
    return value === '' || value.includes('\0') ? [] : [{ path: resolve(models, value), isWeights }]
  }
  const values = options.flatMap((option) => splitValue(readOption(option).value))
  return [
    ...weights.flatMap(toNamed(true)),
    ...[...others, ...values, ...texts.filter((text) => isAbsolute(text))].flatMap(toNamed(false)),
  ]
}

/**
 * Rewrites the absolute paths of a load request. Names and relative paths stay: engines join them to `ModelPath`.
 *
 * @param options.root the new `ModelPath`
 * @param options.toRemote gives the new path, or the same text for a path that is not known
 */
export function rewritePaths(
  request: Request,
  { root, toRemote }: { readonly root: string; readonly toRemote: (path: string) => string },
): Request {
  const rewrite = (text: string): string => (isAbsolute(text.trim()) ? toRemote(text.trim()) : text)
  const fields = PATH_FIELDS.flatMap((name) => {
    const value = request[name]
    return value === undefined ? [] : [[name, rewrite(value)] as const]
  })
  return {
    ...request,
    ...Object.fromEntries(fields),
    ModelPath: root,
    LoraAdapters: request.LoraAdapters?.map(rewrite),
    Options: request.Options?.map((option) => rewriteOption(option, rewrite, root)),
    EngineArgs: request.EngineArgs === undefined ? undefined : mapJsonTexts(request.EngineArgs, rewrite),
  }
}

function rewriteOption(option: string, rewrite: (text: string) => string, root: string): string {
  const { prefix, value } = readOption(option)
  if (value === '') return option
  // Slots are saved by calls that name their file; the engine only has to see a folder that exists.
  if (isSlotOption(option)) return `${prefix}${root}`
  const whole = rewrite(value)
  if (whole !== value || !value.includes(',')) return `${prefix}${whole}`
  return `${prefix}${value.split(',').map(rewrite).join(',')}`
}

/** Splits `name:value`; a text without a name is a value. */
function readOption(option: string): { readonly prefix: string; readonly value: string } {
  const [prefix = '', name] = /^\s*([^:/]+):\s*/.exec(option) ?? []
  return name === undefined ? { prefix: '', value: option } : { prefix, value: option.slice(prefix.length).trim() }
}

/** A value may be a list. */
const splitValue = (value: string): readonly string[] => (value.includes(',') ? [value, ...value.split(',')] : [value])

/** Gives a JSON text with its strings replaced; the same text where none changes and where it is not JSON. */
function mapJsonTexts(json: string, change: (text: string) => string): string {
  if (!json.includes('"')) return json
  let isChanged = false
  try {
    const value: unknown = JSON.parse(json, (_, part: unknown) => {
      if (typeof part !== 'string') return part
      const changed = change(part)
      isChanged ||= changed !== part
      return changed
    })
    return isChanged ? JSON.stringify(value) : json
  } catch {
    return json
  }
}
