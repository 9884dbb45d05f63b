import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { ConfirmDialog } from '../../components/ui/dialog.tsx'
import { RowMenu } from '../../components/ui/menu.tsx'
import { EmptyState, ErrorBlock, QueryView } from '../../components/ui/states.tsx'
import { Badge, Status } from '../../components/ui/status.tsx'
import { notify } from '../../components/ui/toast.ts'
import { useConnection } from '../../lib/connection.ts'
import { formatNumber, formatTime } from '../../lib/format.ts'
import { type Rules, removeRules, rulesQuery } from './api.ts'
import * as styles from './nodes.module.css'
import { NodesFrame } from './nodes-frame.tsx'
import { RulesDialog } from './rules-dialog.tsx'
import { POLICIES } from './rules-form.ts'
import { writeLabel } from './worker-figures.ts'

/** Rules for where models run, and in how many replicas. */
export function SchedulingPage() {
  const { t } = useTranslation('nodes')
  const isOffline = useConnection().state === 'offline'
  const rules = useQuery(rulesQuery)
  const [edited, setEdited] = useState<Rules | 'new'>()
  const [doomed, setDoomed] = useState<string>()
  const add = (
    <Button kind="primary" icon="plus" disabled={isOffline} onClick={() => setEdited('new')}>
      {t('rules.add')}
    </Button>
  )
  return (
    <NodesFrame title={t('rules.title')} action={add}>
      <QueryView query={rules} lines={4}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState icon="route" title={t('rules.none')}>
              {t('rules.noneAbout')}
            </EmptyState>
          ) : (
            <RulesTable rules={list} onEdit={setEdited} onRemove={setDoomed} />
          )
        }
      </QueryView>
      {edited !== undefined && (
        <RulesDialog rules={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />
      )}
      {doomed !== undefined && <RemoveDialog model={doomed} onClose={() => setDoomed(undefined)} />}
    </NodesFrame>
  )
}

function RulesTable({
  rules,
  onEdit,
  onRemove,
}: {
  readonly rules: readonly Rules[]
  readonly onEdit: (rules: Rules) => void
  readonly onRemove: (model: string) => void
}) {
  const { t } = useTranslation('nodes')
  return (
    <table className="table stacked">
      <thead>
        <tr>
          <th scope="col">{t('column.model')}</th>
          <th scope="col">{t('rules.replicas')}</th>
          <th scope="col">{t('rules.selector')}</th>
          <th scope="col">{t('rules.policy')}</th>
          <th scope="col">
            <span className="visuallyHidden">{t('column.actions')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rules.map((each) => (
          <Row key={each.id} rules={each} onEdit={onEdit} onRemove={onRemove} />
        ))}
      </tbody>
    </table>
  )
}

function Row({
  rules,
  onEdit,
  onRemove,
}: {
  readonly rules: Rules
  readonly onEdit: (rules: Rules) => void
  readonly onRemove: (model: string) => void
}) {
  const { t } = useTranslation('nodes')
  const isOffline = useConnection().state === 'offline'
  const { model_name: model, node_selector, route_policy, unsatisfiable_until: until } = rules
  const policy = POLICIES.find((each) => each === route_policy)
  return (
    <tr>
      <td className="mainCell">
        <Link className={`mainLink medium clip ${styles.line}`} to="/app/nodes/placement" search={{ model }}>
          {model}
        </Link>
        {until !== undefined && <Status tone="warn">{t('rules.unsatisfiable', { time: formatTime(until) })}</Status>}
      </td>
      <td className="freeCell minorCell">{useReplicaWords(rules)}</td>
      <td className="freeCell minorCell">
        <ul className={styles.labels}>
          {Object.entries(node_selector).map((label) => (
            <li key={label[0]}>
              <Badge>{writeLabel(label)}</Badge>
            </li>
          ))}
        </ul>
      </td>
      <td className="freeCell minorCell">
        {policy === undefined ? route_policy : t(`rules.policyName.${policy || 'default'}`)}
      </td>
      <td className="endCell number freeCell">
        <RowMenu
          label={t('actionsNamed', { name: model })}
          entries={[
            { id: 'edit', text: t('edit'), icon: 'edit', isDisabled: isOffline, onSelect: () => onEdit(rules) },
            {
              id: 'remove',
              text: t('remove'),
              icon: 'trash',
              isDangerous: true,
              isDisabled: isOffline,
              separator: true,
              onSelect: () => onRemove(model),
            },
          ]}
        />
      </td>
    </tr>
  )
}

/** How many replicas rules want, in words. */
function useReplicaWords({ spread_all, min_replicas: min, max_replicas: max }: Rules): string {
  const { t } = useTranslation('nodes')
  if (spread_all) return t('rules.onEach')
  if (max === 0) return min === 0 ? t('rules.anyNumber') : t('rules.atLeast', { min: formatNumber(min) })
  return t('rules.fromTo', { min: formatNumber(min), max: formatNumber(max) })
}

function RemoveDialog({ model, onClose }: { readonly model: string; readonly onClose: () => void }) {
  const { t } = useTranslation('nodes')
  const removal = useMutation({
    mutationFn: () => removeRules(model),
    onSuccess() {
      onClose()
      notify('success', t('rules.removed', { model }))
    },
  })
  return (
    <ConfirmDialog
      title={t('rules.removeTitle', { model })}
      action={t('remove')}
      busy={removal.isPending}
      error={removal.isError && <ErrorBlock error={removal.error} />}
      onConfirm={() => removal.mutate()}
      onClose={onClose}
    >
      <p>{t('rules.removeAbout')}</p>
    </ConfirmDialog>
  )
}
