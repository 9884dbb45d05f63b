import type { TFunction } from 'i18next'
import type { ChatStore } from '../../lib/chat/chat-store.ts'
import { saveFile, toFileName } from '../../lib/download.ts'

/** Saves chats as a file. @param id of one chat; undefined for all */
export async function exportChats(
  store: ChatStore,
  id: string | undefined,
  form: 'json' | 'md',
  t: TFunction<'chat'>,
): Promise<void> {
  const { toJson, toMarkdown } = await import('../../lib/chat/transfer.ts')
  const chats = await store.readChats(id === undefined ? undefined : new Set([id]))
  const name = toFileName(id === undefined ? t('list.title') : (chats[0]?.entry.title ?? ''), form)
  if (form === 'json') return saveFile(name, toJson(chats), 'application/json')
  saveFile(name, toMarkdown(chats, { user: t('you'), untitled: t('untitled') }), 'text/markdown')
}
