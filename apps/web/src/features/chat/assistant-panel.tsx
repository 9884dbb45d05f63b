import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { useTranslation } from 'react-i18next'
import { Composer } from '../../components/chat/composer.tsx'
import { buttonClass, IconButton } from '../../components/ui/button.tsx'
import { Icon } from '../../components/ui/icon.tsx'
import { EmptyState, ErrorBlock } from '../../components/ui/states.tsx'
import { findDefaultModel, keepLastModel, useChatModels } from '../../lib/chat/models.ts'
import { type Chat, type ChatEntry, DEFAULT_SETTINGS } from '../../lib/chat/types.ts'
import { useChat, useChatEntries, useChatStore, useRunningChats } from '../../lib/chat/use-chats.ts'
import { toRem } from '../../lib/text-size.ts'
import * as styles from './chat.module.css'
import { Thread } from './thread.tsx'

/** Pages this wide make room for the panel. It covers others, which are inert meanwhile. */
const roomy = globalThis.matchMedia?.(`(min-width: ${toRem(1440)})`)

/** The assistant beside any page: a chat whose model runs this server. It goes on with the last such chat. */
export function AssistantPanel({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation('chat')
  const entries = useChatEntries()
  const [chosen, setChosen] = useState<string | null>()
  const panel = useRef<HTMLElement>(null)
  const last = entries?.find(({ settings }) => settings.isAssistant === true)
  const id = chosen === undefined ? last?.id : (chosen ?? undefined)
  useEffect(() => {
    const opener = document.activeElement
    return () => {
      if (opener instanceof HTMLElement) opener.focus()
    }
  }, [])
  useEffect(keepPageApart, [])
  const isKnown = entries !== undefined
  useEffect(() => {
    if (isKnown) panel.current?.querySelector<HTMLElement>('[data-composer]')?.focus()
  }, [isKnown])
  return createPortal(
    <aside
      ref={panel}
      className={styles.assistant}
      data-assistant
      data-open="true"
      aria-label={t('assistant.title')}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return
        event.preventDefault()
        event.stopPropagation()
        onClose()
      }}
    >
      <header className={styles.head}>
        <h2 className="clip">{t('assistant.title')}</h2>
        <div className="row push">
          <IconButton small icon="plus" label={t('assistant.new')} onClick={() => setChosen(null)} />
          {id !== undefined && (
            <Link
              className={buttonClass('ghost', 'iconOnly', 'small')}
              to="/app/chat/$id"
              params={{ id }}
              aria-label={t('assistant.open')}
              title={t('assistant.open')}
              onClick={onClose}
            >
              <Icon name="external" small />
            </Link>
          )}
          <IconButton small icon="x" label={t('common:close')} onClick={onClose} />
        </div>
      </header>
      {isKnown && (id === undefined ? <Empty onBegin={setChosen} /> : <OpenAssistant key={id} chatId={id} />)}
    </aside>,
    document.body,
  )
}

/** Makes the page below the panel inert. @returns a function that ends it */
function keepPageApart(): () => void {
  const main = document.getElementById('main')
  const apply = () => main?.toggleAttribute('inert', !roomy.matches)
  apply()
  roomy.addEventListener('change', apply)
  return () => {
    roomy.removeEventListener('change', apply)
    main?.removeAttribute('inert')
  }
}

/** A conversation that has not begun. */
function Empty({ onBegin }: { readonly onBegin: (id: string) => void }) {
  const { t } = useTranslation('chat')
  const store = useChatStore()
  const { models, error } = useChatModels()
  const [chosen, setChosen] = useState<string>()
  const model = chosen ?? (models === undefined ? '' : findDefaultModel(models))
  return (
    <Dock
      draftKey="assistant"
      model={model}
      onModel={setChosen}
      onSend={(text, attachments) => {
        const { id } = store.createChat(model, { ...DEFAULT_SETTINGS, isAssistant: true })
        store.send(id, text, attachments)
        onBegin(id)
      }}
    >
      <div className={`${styles.thread} ${styles.isEmpty}`}>
        {models === undefined && error !== null && <ErrorBlock error={error} />}
        {models?.length === 0 ? (
          <EmptyState icon="cube" title={t('noModel.title')}>
            {t('noModel.admin')}
          </EmptyState>
        ) : (
          <EmptyState icon="tool" title={t('assistant.ask')}>
            {t('assistant.about')}
          </EmptyState>
        )}
      </div>
    </Dock>
  )
}

function OpenAssistant({ chatId }: { readonly chatId: string }) {
  const chat = useChat(chatId)
  return chat.state === 'ready' ? <OpenChat chat={chat} entry={chat.entry} /> : null
}

function OpenChat({ chat, entry }: { readonly chat: Chat; readonly entry: ChatEntry }) {
  const store = useChatStore()
  const { id, model } = entry
  const isRunning = useRunningChats().has(id)
  return (
    <Dock
      draftKey={id}
      model={model}
      isRunning={isRunning}
      onModel={(chosen) => store.change(id, { model: chosen })}
      onSend={(text, attachments, editedId) => store.send(id, text, attachments, editedId)}
      onStop={() => store.stop(id)}
    >
      <Thread chat={chat} isRunning={isRunning} />
    </Dock>
  )
}

/** A thread with the composer below it. */
function Dock({
  children,
  onModel,
  ...composer
}: { readonly children: ReactNode } & Pick<
  Parameters<typeof Composer>[0],
  'draftKey' | 'model' | 'onModel' | 'onSend' | 'onStop' | 'isRunning'
>) {
  const { t } = useTranslation('chat')
  const { models } = useChatModels()
  return (
    <div className={styles.threadPane}>
      {children}
      <div className={styles.dock}>
        <Composer
          {...composer}
          models={models}
          placeholder={t('assistant.placeholder')}
          onModel={(model) => {
            keepLastModel(model)
            onModel(model)
          }}
        />
      </div>
    </div>
  )
}
