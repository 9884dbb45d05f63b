import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ConfirmDialog } from '../../components/ui/dialog.tsx'
import { RowMenu } from '../../components/ui/menu.tsx'
import { notify } from '../../components/ui/toast.ts'
import { useChatEntries, useChatStore } from '../../lib/chat/use-chats.ts'
import { exportChats } from './export-chats.ts'

/** Actions on all chats: export, import, delete. */
export function ListMenu() {
  const { t } = useTranslation('chat')
  const store = useChatStore()
  const entries = useChatEntries() ?? []
  const input = useRef<HTMLInputElement>(null)
  const [isAsking, setAsking] = useState(false)
  const isEmpty = entries.length === 0
  const importFiles = async (files: Iterable<File>) => {
    const { readChats } = await import('../../lib/chat/transfer.ts')
    for (const file of files) {
      try {
        const chats = readChats(await file.text())
        store.addChats(chats)
        notify('success', t('import.done', { count: chats.length }))
      } catch (error) {
        notify('error', t('import.failed', { name: file.name, reason: error instanceof Error ? error.message : '' }))
      }
    }
  }
  const removeAll = async () => {
    setAsking(false)
    for (const { id } of entries) await store.removeChat(id)
  }
  return (
    <>
      <RowMenu
        label={t('list.menu')}
        entries={[
          {
            id: 'json',
            text: t('export.allJson'),
            icon: 'share',
            isDisabled: isEmpty,
            onSelect: () => void exportChats(store, undefined, 'json', t),
          },
          {
            id: 'markdown',
            text: t('export.allMarkdown'),
            icon: 'share',
            isDisabled: isEmpty,
            onSelect: () => void exportChats(store, undefined, 'md', t),
          },
          { id: 'import', text: t('import.action'), icon: 'activity', onSelect: () => input.current?.click() },
          {
            id: 'delete',
            text: t('list.deleteAll'),
            icon: 'trash',
            isDangerous: true,
            isDisabled: isEmpty,
            separator: true,
            onSelect: () => setAsking(true),
          },
        ]}
      />
      <input
        ref={input}
        type="file"
        accept=".json,.md,application/json,text/markdown"
        multiple
        hidden
        data-import
        onChange={({ target }) => {
          void importFiles([...(target.files ?? [])])
          target.value = ''
        }}
      />
      {isAsking && (
        <ConfirmDialog
          title={t('list.deleteAll')}
          action={t('delete')}
          onConfirm={() => void removeAll()}
          onClose={() => setAsking(false)}
        >
          {t('list.deleteAllAbout', { count: entries.length })}
        </ConfirmDialog>
      )}
    </>
  )
}
