import type { ReactNode } from 'react'

/** A state as shape, colour and word. `neutral` is a grey dot, `ok` a dot, `warn` a triangle, `bad` a diamond, `run` a half dot. */
export function Status({
  tone = 'neutral',
  children,
}: {
  readonly tone?: 'neutral' | 'ok' | 'warn' | 'bad' | 'run'
  readonly children: ReactNode
}) {
  return <span className={`st ${tone}`}>{children}</span>
}

/** A short word about a thing, such as its kind. */
export function Badge({
  tone = '',
  children,
}: {
  readonly tone?: '' | 'ok' | 'warn' | 'bad' | 'info' | 'acc'
  readonly children: ReactNode
}) {
  return <span className={`badge ${tone}`}>{children}</span>
}

/** The letter tile that stands for a picture: pictures of galleries lie on other servers and are never fetched. */
export function LetterTile({ name, large = false }: { readonly name: string; readonly large?: boolean }) {
  return (
    <span className={large ? 'tile lg' : 'tile'} aria-hidden="true">
      {name.slice(0, 1).toUpperCase()}
    </span>
  )
}
