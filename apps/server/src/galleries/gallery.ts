import * as z from 'zod'

const verification = z.looseObject({
  issuer: z.string().optional(),
  issuer_regex: z.string().optional(),
  identity: z.string().optional(),
  identity_regex: z.string().optional(),
  not_before: z.string().optional(),
})

/** A gallery as the configuration names it. */
export const gallerySchema = z.looseObject({
  url: z.string(),
  name: z.string(),
  mirrors: z.array(z.string()).optional(),
  verification: verification.optional(),
})

/** A list of models or backends that can be installed. */
export interface Gallery {
  readonly name: string
  readonly url: string
  /** Asked in their order where the URL fails. */
  readonly mirrors?: readonly string[] | undefined
  /** The signers that its images must have. */
  readonly verification?: Readonly<Record<string, unknown>> | undefined
}

/** Fields of every entry of a gallery. */
export interface EntryHead {
  readonly name: string
  readonly description: string
  readonly license: string
  readonly urls: readonly string[]
  readonly icon: string
  readonly tags: readonly string[]
}

/** A file of an entry. */
export interface EntryFile {
  readonly filename: string
  readonly uri: string
  /** Hash in lower-case hexadecimal digits. */
  readonly sha256?: string | undefined
}

/** A model that can be installed. */
export interface ModelEntry extends EntryHead {
  /** A document with the configuration and further files. */
  readonly url: string
  /** Size as the gallery writes it: `4.7GB`. */
  readonly size: string
  readonly files: readonly EntryFile[]
  readonly configFile: Readonly<Record<string, unknown>>
  /** Win over the configuration. */
  readonly overrides: Readonly<Record<string, unknown>>
  /** Names of other entries that are the same model in another form. */
  readonly variants: readonly string[]
}

/** A backend that can be installed. */
export interface BackendEntry extends EntryHead {
  readonly alias: string
  readonly uri: string
  readonly version: string
  readonly mirrors: readonly string[]
  readonly sha256: string
  /** Capability of a machine → name of the entry for it. */
  readonly capabilities: Readonly<Record<string, string>>
}

/** An entry with the gallery that has it. */
export interface Listed<Entry> {
  readonly entry: Entry
  readonly gallery: Gallery
  /** `gallery@name` */
  readonly id: string
}

/** Whether an entry only points at those of its capabilities. Most concrete entries inherit capabilities by a merge. */
export function isMetaBackend({ capabilities, uri }: BackendEntry): boolean {
  return Object.keys(capabilities).length > 0 && uri === ''
}
