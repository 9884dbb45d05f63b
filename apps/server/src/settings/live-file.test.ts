import { parseJson } from '@svc/json'
import { expect, it } from 'vitest'
import { openLiveFile } from './live-file.ts'

it('keeps a value that was saved while an earlier content was being read', async () => {
  let content = '"first"'
  let onChange = (): void => undefined
  let letGo = (): void => undefined
  let isHeld = new Promise<void>((resolve) => resolve())
  const reloads: string[] = []
  const file = await openLiveFile<unknown>({
    name: 'settings.json',
    empty: undefined,
    holdsKeys: true,
    parse: (root) => ({ value: root.toValue(), problems: [], isUnsafe: false }),
    onReload: () => void reloads.push(String(file.value)),
    files: {
      place: 'here',
      async read() {
        const root = parseJson(Buffer.from(content)).root
        await isHeld
        return { state: 'read', root }
      },
      isPresent: () => Promise.resolve(true),
      watch: (_name, listener) => {
        onChange = listener
        const close = (): Promise<void> => Promise.resolve()
        return Promise.resolve({ close, [Symbol.asyncDispose]: close })
      },
    },
  })
  isHeld = new Promise((resolve) => {
    letGo = resolve
  })
  onChange()
  await Promise.resolve()
  content = '"second"'
  file.accept('second')
  letGo()
  await file.close()
  expect([file.value, reloads]).toEqual(['second', ['second']])
})
