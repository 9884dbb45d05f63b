import { defineSection, option, setting } from '../option.ts'
import { path } from '../places.ts'
import { wait } from '../quantities.ts'
import { line, notOption, onOff, wholeCount } from '../setting-kind.ts'
import { count, text, toggle } from '../text-kind.ts'

/** Agents, tasks and jobs. */
export const agents = defineSection({
  heading: 'Agents',
  options: {
    agentJobRetentionDays: option(count, {
      flag: 'agent-job-retention-days',
      env: ['SVC_AGENT_JOB_RETENTION_DAYS'],
      default: '30',
      about: 'days for which finished jobs are kept; 0 = for ever',
      setting: { agent_job_retention_days: setting(wholeCount) },
    }),
    disableAgents: option(toggle, {
      flag: 'disable-agents',
      env: ['SVC_DISABLE_AGENTS'],
      default: 'false',
      about: 'no agents, tasks and jobs: their routes are absent',
      setting: { agent_pool_enabled: setting(notOption, { about: 'agents, tasks and jobs' }) },
    }),
    agentPoolDefaultModel: option(text, {
      env: ['SVC_AGENT_POOL_DEFAULT_MODEL'],
      default: '',
      about: 'model of an agent that names none',
      setting: { agent_pool_default_model: setting(line) },
    }),
    agentPoolStateDir: option(path, {
      env: ['SVC_AGENT_POOL_STATE_DIR'],
      shownDefault: 'agents in --data-path',
      about: 'folder of the files of agents',
    }),
    agentPoolTimeoutMs: option(wait, {
      env: ['SVC_AGENT_POOL_TIMEOUT'],
      default: '5m',
      about: 'longest time without a sign of the model or a tool of a job; 0 = no limit',
    }),
    agentPoolEnableLogs: option(toggle, {
      env: ['SVC_AGENT_POOL_ENABLE_LOGS'],
      default: 'false',
      about: 'log each step of a job',
      setting: { agent_pool_enable_logs: setting(onOff) },
    }),
    agentHubUrl: option(text, {
      env: ['SVC_AGENT_HUB_URL'],
      default: '',
      about: 'an address where agents are shared, shown as a link',
      setting: { agent_pool_agent_hub_url: setting(line) },
    }),
  },
})
