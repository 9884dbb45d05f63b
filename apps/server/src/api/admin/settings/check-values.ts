import { SvcError } from '@svc/errors'
import { describeWeights } from '../../../catalog/attach-weights.ts'
import type { ModelConfig } from '../../../catalog/model-config.ts'
import { servesRequests } from '../../../catalog/serving.ts'
import { hasUsecase } from '../../../catalog/usecases.ts'
import type { SettingKey } from '../../../config/schema.ts'
import { type Gallery, gallerySchema } from '../../../galleries/gallery.ts'
import type { GalleryIndexes } from '../../../galleries/gallery-indexes.ts'
import { findDetectorKind } from '../../../pii/detector-model.ts'

type AddressCheck = Pick<GalleryIndexes<unknown>, 'checkAddress'>

/** Everything that the values of settings may name. */
export interface NamedThings {
  readonly modelIndexes: AddressCheck
  readonly backendIndexes: AddressCheck
  readonly findModel: (name: string) => ModelConfig | undefined
}

/**
 * Refuses a value that can never act, such as a gallery whose address has a form that nothing reads.
 *
 * @param before the value in force: entries that stay as they are need no check
 * @throws {SvcError} `invalid_request` naming the setting
 */
export function checkNamed(key: string, value: unknown, before: unknown, things: NamedThings): void {
  if (key === 'galleries') checkGalleries(key, value, before, things.modelIndexes)
  if (key === 'backend_galleries') checkGalleries(key, value, before, things.backendIndexes)
}

/** Finds faults of things that the value of a setting names and that may still come to be. */
export function findNamedFaults(key: SettingKey, value: unknown, { findModel }: NamedThings): readonly string[] {
  if (key === 'pii_default_detectors' && Array.isArray(value)) {
    return value.flatMap((name) => describeDetector(String(name), findModel(String(name))) ?? [])
  }
  if (key === 'default_model' && typeof value === 'string') return describeDefault(value, findModel) ?? []
  if (key !== 'cors_allow_origins' || typeof value !== 'string') return []
  const origins = value.split(',').map((origin) => origin.trim())
  const wrong = origins.filter((origin) => origin !== '' && !isOrigin(origin))
  return wrong.map((origin) => `${quote(origin)} is not an origin such as https://site.example`)
}

function describeDetector(name: string, model: ModelConfig | undefined): string | undefined {
  if (model === undefined) return `there is no model ${quote(name)}`
  if (findDetectorKind(model) === undefined) return `the model ${quote(name)} is not a detector`
  return model.disabled ? `the model ${quote(name)} is disabled` : undefined
}

/** Describes the fault of a default model, or of the model that it is an alias of; undefined without one. */
function describeDefault(name: string, findModel: NamedThings['findModel']): [string] | undefined {
  if (name === '') return undefined
  const named = findModel(name)
  const model = named?.alias === undefined ? named : findModel(named.alias)
  if (named === undefined) return [`there is no model ${quote(name)}`]
  if (model === undefined || model.alias !== undefined) return [`the alias ${quote(name)} leads to no model`]
  const about =
    model === named ? `the model ${quote(name)}` : `the model ${quote(model.name)} of the alias ${quote(name)}`
  if (model.disabled) return [`${about} is disabled`]
  if (!hasUsecase(model, 'chat') || !servesRequests(model)) return [`${about} serves no chats`]
  const weights = describeWeights(model)
  return weights === undefined ? undefined : [`${about} has no weights: ${weights}`]
}

function checkGalleries(key: string, value: unknown, before: unknown, indexes: AddressCheck): void {
  const known = new Set(listGalleries(before).flatMap(listAddresses))
  for (const gallery of listGalleries(value)) {
    for (const address of listAddresses(gallery)) {
      if (!known.has(address)) checkGallery(key, gallery.name, () => indexes.checkAddress(address))
    }
  }
}

function checkGallery(key: string, name: string, check: () => void): void {
  try {
    check()
  } catch (cause) {
    if (!SvcError.is(cause)) throw cause
    throw new SvcError('invalid_request', `Invalid ${key}: ${quote(name)}: ${cause.message}`, {
      code: 'invalid_setting',
      cause,
      details: { param: key },
    })
  }
}

function listGalleries(value: unknown): readonly Gallery[] {
  return (Array.isArray(value) ? value : []).flatMap((entry: unknown) => gallerySchema.safeParse(entry).data ?? [])
}

function listAddresses({ url, mirrors = [] }: Gallery): readonly string[] {
  return [url, ...mirrors]
}

function isOrigin(text: string): boolean {
  return text === '*' || /^[a-z][a-z0-9+.-]*:\/\/[^/?#@\s]+\/?$/i.test(text)
}

/** A name as messages show it, in short. */
function quote(text: string): string {
  return JSON.stringify(text.slice(0, 200))
}
