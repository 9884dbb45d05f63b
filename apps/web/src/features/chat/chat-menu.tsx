import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { TextField } from '../../components/ui/field.tsx'
import { RowMenu } from '../../components/ui/menu.tsx'
import { notify } from '../../components/ui/toast.ts'
import type { ChatEntry } from '../../lib/chat/types.ts'
import { useChatStore } from '../../lib/chat/use-chats.ts'
import { exportChats } from './export-chats.ts'

/** Renames, exports or deletes a chat. */
export function ChatMenu({ entry }: { readonly entry: ChatEntry }) {
  const { t } = useTranslation('chat')
  const { id, title } = entry
  const store = useChatStore()
  const navigate = useNavigate()
  const [isRenaming, setRenaming] = useState(false)
  const remove = async () => {
    await navigate({ to: '/app/chat' })
    const undo = await store.removeChat(id)
    notify('success', t('deleted'), { label: t('undo'), onClick: undo })
  }
  return (
    <>
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
    </>
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
