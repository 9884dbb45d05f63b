import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Composer } from '../../components/chat/composer.tsx'
import { type ChatModel, findDefaultModel, keepLastModel } from '../../lib/chat/models.ts'
import { useChatStore } from '../../lib/chat/use-chats.ts'

/** Sends the first message of a new chat, and goes there. */
export function HomeComposer({ models }: { readonly models: readonly ChatModel[] | undefined }) {
  const { t } = useTranslation('home')
  const store = useChatStore()
  const navigate = useNavigate()
  const [chosen, setChosen] = useState<string>()
  const model = chosen ?? (models === undefined ? '' : findDefaultModel(models))
  return (
    <Composer
      draftKey="home"
      models={models}
      model={model}
      onModel={(id) => {
        keepLastModel(id)
        setChosen(id)
      }}
      placeholder={t('ask')}
      rows={2}
      onSend={(text, attachments) => {
        const { id } = store.createChat(model)
        store.send(id, text, attachments)
        void navigate({ to: '/app/chat/$id', params: { id } })
      }}
    />
  )
}
