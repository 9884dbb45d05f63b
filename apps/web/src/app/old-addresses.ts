/** Target of an old address. */
export interface NewAddress {
  /** Encoded, such as `/app/models`. */
  readonly path: string
  readonly search?: Readonly<Record<string, string | number>>
}

/** Parts of an old address. */
export interface OldAddress {
  /** Decoded parts of the path, by name; the rest of a path is `_splat`. */
  readonly params: Readonly<Record<string, string | undefined>>
  readonly search: Readonly<Record<string, unknown>>
}

interface Redirect {
  /** Below `/app`, as the router writes it. */
  readonly path: string
  readonly to: (old: OldAddress) => NewAddress
}

const MIDDLEWARE: Readonly<Record<string, string>> = {
  filtering: '/app/pii',
  routing: '/app/router',
  proxy: '/app/intercept',
  events: '/app/events',
}

/** Kinds of the playground by their old names. */
const KINDS: Readonly<Record<string, string>> = {
  image: 'images',
  images: 'images',
  video: 'video',
  tts: 'speech',
  sound: 'speech',
}

const INSTALLED = { view: 'installed' } as const

/** Search parameters under new names. Absent ones stay absent. */
function rename(search: OldAddress['search'], names: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(names).flatMap(([old, name]) => {
      const value = search[old]
      return value === undefined || value === '' ? [] : [[name, String(value)]]
    }),
  )
}

/** Flags under new names, kept where they are on. */
function renameFlags(search: OldAddress['search'], names: Readonly<Record<string, string>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(names).flatMap(([old, name]) => (String(search[old]) === '1' ? [[name, 1]] : [])),
  )
}

function toManaged({ search }: OldAddress): NewAddress {
  if (search.tab !== 'backends') {
    return {
      path: '/app/models',
      search: { ...INSTALLED, ...rename(search, { sel: 'model', mq: 'q', mf: 'state' }) },
    }
  }
  return {
    path: '/app/backends',
    search: {
      ...INSTALLED,
      ...rename(search, { sel: 'backend', bq: 'q', bf: 'state' }),
      ...renameFlags(search, { bv: 'show_all', bd: 'development' }),
    },
  }
}

function toPlayground(kind: string, model: string | undefined): NewAddress {
  return { path: `/app/playground/${kind}`, ...(model === undefined || model === '' ? {} : { search: { model } }) }
}

const toName = (name: string | undefined) => encodeURIComponent(name ?? '')

/** Addresses of another interface for the same API, which bookmarks and notes may hold. */
export const OLD_ADDRESSES: readonly Redirect[] = [
  { path: 'manage', to: toManaged },
  { path: 'model-editor', to: () => ({ path: '/app/models/new' }) },
  { path: 'model-editor/$name', to: ({ params }) => ({ path: `/app/models/${toName(params.name)}` }) },
  { path: 'import-model', to: () => ({ path: '/app/models/new', search: { from: 'uri' } }) },
  { path: 'backend-logs/$name', to: ({ params }) => ({ path: `/app/backends/logs/${toName(params.name)}` }) },
  { path: 'operate', to: () => ({ path: '/app' }) },
  {
    path: 'middleware',
    to: ({ search }) => ({ path: MIDDLEWARE[String(search.tab ?? 'filtering')] ?? '/app/pii' }),
  },
  ...['image', 'video', 'tts', 'sound'].flatMap((old): Redirect[] => {
    const kind = KINDS[old] ?? old
    return [
      { path: old, to: () => toPlayground(kind, undefined) },
      { path: `${old}/$name`, to: ({ params }) => toPlayground(kind, params.name) },
    ]
  }),
  {
    path: 'studio/$',
    to({ params, search }) {
      const [old = '', model] = (params._splat ?? '').split('/')
      return toPlayground(KINDS[old === '' ? String(search.tab ?? '') : old] ?? 'images', model)
    },
  },
]
