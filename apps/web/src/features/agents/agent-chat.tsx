import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { DeleteDialog } from '../../components/agents/delete-dialog.tsx'
import { AgentText, type JobStep, JobSteps } from '../../components/agents/job-steps.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Notice } from '../../components/ui/notice.tsx'
import { EmptyState, ErrorBlock, QueryView } from '../../components/ui/states.tsx'
import { RelativeTime } from '../../components/ui/time.tsx'
import { useConnection } from '../../lib/connection.ts'
import { AgentComposer } from './agent-composer.tsx'
import * as styles from './agents.module.css'
import { type AgentMessage, cancelMessage, clearMessages, messagesQuery } from './api.ts'
import { useAgentEvents } from './use-agent-events.ts'

/** The conversation with an agent. Answers come with their steps while they are made. */
export function AgentChat({ name, isActive }: { readonly name: string; readonly isActive: boolean }) {
  const { t } = useTranslation('agents')
  const isOffline = useConnection().state === 'offline'
  const messages = useQuery(messagesQuery(name))
  const [isClearing, setClearing] = useState(false)
  const isLive = messages.data?.some(({ completion }) => completion === undefined) ?? false
  useAgentEvents(name, isLive)
  return (
    <div className={styles.chat}>
      <QueryView query={messages} lines={4} height={56}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState icon="chat" title={t('chat.none')}>
              {t('chat.noneAbout')}
            </EmptyState>
          ) : (
            <>
              <div className={styles.messages} role="log" aria-label={t('chat.label', { name })}>
                {list.map((message) => (
                  <Message key={message.id} message={message} />
                ))}
              </div>
              <div>
                <Button small kind="ghost" icon="trash" disabled={isOffline} onClick={() => setClearing(true)}>
                  {t('chat.clear')}
                </Button>
              </div>
            </>
          )
        }
      </QueryView>
      {isActive ? <AgentComposer name={name} /> : <Notice>{t('chat.paused')}</Notice>}
      {isClearing && (
        <DeleteDialog
          title={t('chat.clear')}
          action={t('delete')}
          done={t('chat.cleared')}
          remove={() => clearMessages(name)}
          onClose={() => setClearing(false)}
        >
          {t('chat.clearAbout')}
        </DeleteDialog>
      )}
    </div>
  )
}

function Message({ message: { id, creation, progress, completion } }: { readonly message: AgentMessage }) {
  const { t } = useTranslation('agents')
  const steps = progress as readonly JobStep[]
  return (
    <article className={styles.message}>
      <p className={styles.asked}>{creation.message}</p>
      {steps.length > 0 && (
        <details open={completion === undefined}>
          <summary>{t('chat.steps', { count: steps.length })}</summary>
          <div className={styles.steps}>
            <JobSteps label={t('chat.stepsLabel')} steps={steps} />
          </div>
        </details>
      )}
      {completion === undefined ? <Running id={id} /> : <Answer completion={completion} />}
      <p className="meta row">
        <RelativeTime time={creation.timestamp} />
        <Link to="/app/agents/jobs/$id" params={{ id }}>
          {t('chat.job')}
        </Link>
      </p>
    </article>
  )
}

function Answer({ completion }: { readonly completion: NonNullable<AgentMessage['completion']> }) {
  const { t } = useTranslation('agents')
  const { status, result, error } = completion
  if (status === 'completed') return <AgentText text={result ?? ''} />
  return <Notice tone={status === 'cancelled' ? 'warn' : 'bad'}>{error || t('job.state.cancelled')}</Notice>
}

function Running({ id }: { readonly id: string }) {
  const { t } = useTranslation('agents')
  const cancel = useMutation({ mutationFn: () => cancelMessage(id) })
  return (
    <>
      <p className="row">
        <span className="muted">{t('chat.running')}</span>
        <Button small icon="stop" busy={cancel.isPending} onClick={() => cancel.mutate()}>
          {t('chat.stop')}
        </Button>
      </p>
      {cancel.isError && <ErrorBlock error={cancel.error} />}
    </>
  )
}
