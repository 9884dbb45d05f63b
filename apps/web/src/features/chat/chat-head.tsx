import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button, IconButton } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { TextField } from '../../components/ui/field.tsx'
import { RowMenu } from '../../components/ui/menu.tsx'
import { notify } from '../../components/ui/toast.ts'
import type { ChatEntry } from '../../lib/chat/types.ts'
import { useChatStore } from '../../lib/chat/use-chats.ts'
import { exportChats } from './export-chats.ts'
import { useChatSearch } from './use-chat-search.ts'

/** The title of a chat, and what can be done with it. */
export function ChatHead({ entry, children }: { readonly entry: ChatEntry; readonly children: ReactNode }) {
  const { t } = useTranslation('chat')
  const { id, title } = entry
  const store = useChatStore()
  const navigate = useNavigate()
  const [, changeSearch] = useChatSearch()
  const [isRenaming, setRenaming] = useState(false)
  const remove = async () => {
    await navigate({ to: '/app/chat' })
    const undo = await store.removeChat(id)
    notify('success', t('deleted'), { label: t('undo'), onClick: undo })
  }
  return (
    <header className="chd">
      <IconButton
        className="only-list"
        icon="chevron-left"
        label={t('list.all')}
        onClick={() => changeSearch({ list: true })}
      />
      <h2 className="clip" title={title}>
        {title === '' ? t('newChat') : title}
      </h2>
      <div className="row push">
        <RowMenu
          label={t('chatMenu')}
          entries={[
            { id: 'rename', text: t('rename'), icon: 'edit', onSelect: () => setRenaming(true) },
            {
              id: 'markdown',
              text: t('export.markdown'),
              icon: 'share',
              onSelect: () => void exportChats(store, id, 'md', t),
            },
            {
              id: 'json',
              text: t('export.json'),
              icon: 'share',
              onSelect: () => void exportChats(store, id, 'json', t),
            },
            {
              id: 'delete',
              text: t('deleteChat'),
              icon: 'trash',
              isDangerous: true,
              separator: true,
              onSelect: () => void remove(),
            },
          ]}
        />
        {children}
      </div>
      {isRenaming && (
        <RenameDialog
          title={title}
          onSave={(renamed) => {
            store.change(id, { title: renamed })
            setRenaming(false)
          }}
          onClose={() => setRenaming(false)}
        />
      )}
    </header>
  )
}

function RenameDialog({
  title,
  onSave,
  onClose,
}: {
  readonly title: string
  readonly onSave: (title: string) => void
  readonly onClose: () => void
}) {
  const { t } = useTranslation('chat')
  const [text, setText] = useState(title)
  const name = text.trim()
  return (
    <Dialog
      title={t('rename')}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('common:cancel')}</Button>
          <Button kind="primary" disabled={name === ''} onClick={() => onSave(name)}>
            {t('common:save')}
          </Button>
        </>
      }
    >
      <TextField
        label={t('titleOfChat')}
        value={text}
        maxLength={200}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={({ key }) => key === 'Enter' && name !== '' && onSave(name)}
      />
    </Dialog>
  )
}
