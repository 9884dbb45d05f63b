import { isIP } from 'node:net'
import { resolve } from 'node:path'
import * as z from 'zod'
import { isLoopbackAddress } from '../outbound/host-name.ts'
import { list, readWith, TEXT_FORMS } from './text-kind.ts'

/** Where a listener binds. */
export interface ListenAddress {
  /** An address or a host name; undefined binds every address of the machine. */
  readonly host: string | undefined
  /** 0 lets the system choose. */
  readonly port: number
}

const ADDRESS = /^(?:\[([0-9a-f:.]{2,45})\]|([a-z0-9.-]{0,253})):(\d{1,5})$/i

/** Reads a listening address; undefined for another form. */
export function readAddress(value: string): ListenAddress | undefined {
  const [, six, name, digits] = ADDRESS.exec(value) ?? []
  const port = Number(digits)
  if (digits === undefined || port > 65_535) return undefined
  if (six !== undefined) return isIP(six) === 6 ? Object.freeze({ host: six, port }) : undefined
  // 1.2.3 or 300.1.1.1 would be looked up as a name and fail much later
  if (name !== undefined && /^[\d.]+$/.test(name) && isIP(name) !== 4) return undefined
  return Object.freeze({ host: name === '' ? undefined : name, port })
}

/** A listening address as {@link address} reads it. */
export function formatAddress({ host, port }: ListenAddress): string {
  return `${host === undefined ? '' : isIP(host) === 6 ? `[${host}]` : host}:${port}`
}

/** The address that a listener binds. */
export const address = readWith(readAddress).register(TEXT_FORMS, {
  placeholder: 'ADDRESS',
  form: 'an address such as :8080, 127.0.0.1:8080 or [::1]:8080',
  shape: 'single',
})

/** A numeric loopback address with its port, which other machines cannot reach (§8). */
export const loopbackAddress = readWith(readAddress)
  .refine(({ host }) => host !== undefined && isLoopbackAddress(host))
  .register(TEXT_FORMS, {
    placeholder: 'ADDRESS',
    form: 'a numeric loopback address with a port, such as 127.0.0.1:6060 or [::1]:6060',
    shape: 'single',
  })

/** A file or folder, as an absolute path. */
export const path = z
  .string()
  .refine((value) => !value.includes('\0'))
  .register(TEXT_FORMS, {
    placeholder: 'PATH',
    form: 'a path',
    shape: 'single',
    resolve: (value, cwd) => resolve(cwd, value),
  })

function isWebUrl(value: string): boolean {
  if (!URL.canParse(value)) return false
  const { protocol, username, password } = new URL(value)
  return /^https?:$/.test(protocol) && username === '' && password === ''
}

/** An `http` or `https` URL without credentials, kept as it was written. */
export const webUrl = z
  .string()
  .refine(isWebUrl)
  .register(TEXT_FORMS, { placeholder: 'URL', form: 'a URL such as https://models.example.org', shape: 'single' })

const POSTGRES = /^postgres(ql)?:\/\/./i

function readDatabase(value: string): string | undefined {
  if (POSTGRES.test(value)) return URL.canParse(value) ? value : undefined
  const [, file] = /^(?:sqlite|file):(?:\/\/(?=\/))?(.*)$/is.exec(value) ?? []
  if (file === undefined && /^[a-z][a-z0-9+.-]+:\/\//i.test(value)) return undefined
  const found = file ?? value
  return found === '' && file !== undefined ? undefined : path.safeParse(found).data
}

/** The address of a database that lives as long as its process. */
export const MEMORY_DATABASE = ':memory:'

/**
 * A PostgreSQL URL or `:memory:` as it is, or the absolute path of a SQLite file; `sqlite:` and `file:` before a path are
 * dropped.
 */
export const databaseUrl = readWith(readDatabase).register(TEXT_FORMS, {
  placeholder: 'URL',
  form: 'postgres://user:password@host:port/database, the path of a SQLite file, or :memory:',
  shape: 'single',
  resolve: (value, cwd) => (POSTGRES.test(value) || value === MEMORY_DATABASE ? value : resolve(cwd, value)),
})

function isNetwork(item: string): boolean {
  const [host = '', bits, ...more] = item.split('/')
  const version = isIP(host)
  if (version === 0 || more.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
}

/** Addresses and CIDR ranges between commas. */
export const networks = list(z.string().refine(isNetwork), {
  placeholder: 'NETWORK',
  form: 'a list of addresses and ranges such as 10.0.0.0/8,192.168.1.7',
})

const HOST_NAME = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,62})?(\.[a-z0-9_]([a-z0-9_-]{0,62})?)*\.?$/i

const isHostName = (item: string): boolean => HOST_NAME.test(item) && !/^[\d.]+$/.test(item)

/** Host names, addresses and CIDR ranges between commas. */
export const hostsAndNetworks = list(
  z.string().refine((item) => isNetwork(item) || isHostName(item)),
  { placeholder: 'HOST', form: 'a list of host names, addresses and ranges such as media.example.org,10.0.0.0/8' },
)

/** A name and the place of the thing that it names. */
export interface NamedUri {
  readonly name: string
  readonly uri: string
}

function readNamedUri(item: string): NamedUri | undefined {
  const colon = item.indexOf(':')
  const name = item.slice(0, Math.max(colon, 0)).trim()
  const uri = item.slice(colon + 1).trim()
  return name === '' || uri === '' ? undefined : Object.freeze({ name, uri })
}

/** Pairs such as `mock:/opt/mock`, split at the first colon, between commas. */
export const namedUris = list(readWith(readNamedUri), {
  placeholder: 'NAME:URI',
  form: 'a list of NAME:URI pairs such as mock:/opt/mock,other:127.0.0.1:50051',
})

/** Beginnings of paths between commas. */
export const pathPrefixes = list(z.string().startsWith('/'), {
  placeholder: 'PREFIX',
  form: 'a list of path prefixes that begin with /',
})
