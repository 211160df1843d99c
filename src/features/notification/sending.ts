import type { Deps } from '../../deps.ts'
import {
  ApiError,
  executorFailed,
  executorOutOfReach,
  executorsBusy,
  forbidden,
  notFound,
  tooManyNotifications
} from '../../http/errors.ts'
import { ExecutorFault, type ExecutorOutcome } from '../../outbound/executors.ts'
import { findInstallation, type InstallationRef } from '../../registry/installations.ts'
import { findOrganization } from '../../registry/organizations.ts'
import type { Registry } from '../../registry/tables.ts'
import type { NotificationDeps } from './deps.ts'
import { type ExecutorRecord, findInstallationExecutor } from './executors.ts'
import { findMessage, findOutput, type OutputRecord, rememberSend } from './messages.ts'
import { rendered, type Subject } from './rendering.ts'

type Payload = Readonly<Record<string, unknown>>

/** Renders an output and sends it to its executor. `stop` ends the call when the platform stops. */
export async function sendNotification(
  deps: Deps & NotificationDeps,
  installation: InstallationRef,
  { outputId, payload, stop }: { outputId: number; payload: Payload; stop: AbortSignal }
): Promise<void> {
  const { executors } = deps
  if (executors.isBusy) throw executorsBusy()
  const wait = executors.enter(installation)
  if (wait > 0) throw tooManyNotifications(wait)
  try {
    const parts = await findParts(deps, installation, outputId)
    const began = performance.now()
    const outcome = await delivered(deps, parts, payload, stop)
    await tell(deps, parts, { ...outcome, ms: Math.round(performance.now() - began) })
    if (outcome.error) throw outcome.error
  } finally {
    executors.leave(installation)
  }
}

type Parts = Awaited<ReturnType<typeof findParts>>

async function findParts({ registry }: Deps, { id }: InstallationRef, outputId: number) {
  const output = await findOutput(registry, id, outputId)
  const message = output && (await findMessage(registry, id, output.notification_message_id))
  if (!message) throw notFound()
  const executorId = output.notification_output_executor_id
  const executor = await findInstallationExecutor(registry, id, executorId)
  // The installation or the executor has moved to another organization.
  if (!executor) throw executorOutOfReach()
  const subject = await findSubject(registry, id)
  if (!subject) throw forbidden()
  return { output, message, executor, subject }
}

/** What templates can name. Undefined if the installation was deleted meanwhile. */
export async function findSubject(registry: Registry, id: number): Promise<Subject | undefined> {
  const installation = await findInstallation(registry, id)
  const organization =
    installation && (await findOrganization(registry, installation.organization_id))
  return organization && { installation, organization }
}

/** `kind` is counted, `text` is remembered, `error` is what the caller gets. */
type Outcome = {
  kind: 'sent' | 'template' | ExecutorOutcome
  text: string
  error?: ApiError
  cause?: unknown
}

async function delivered(
  { executors, timezone }: Deps & NotificationDeps,
  { output, message, executor, subject }: Parts,
  payload: Payload,
  stop: AbortSignal
): Promise<Outcome> {
  try {
    const zone = subject.installation.timezone || timezone
    const texts = rendered({ message, output }, subject, { payload, zone })
    const body = JSON.stringify({ ...texts, ...envelope(executor, subject), payload })
    const { url = '' } = executor.config
    await executors.call({ url, secret: executor.secret, body }, stop)
    return { kind: 'sent', text: 'sent' }
  } catch (error) {
    if (error instanceof ApiError) return { kind: 'template', text: 'bad template', error }
    if (!(error instanceof ExecutorFault)) throw error
    const { outcome, message, cause } = error
    return { kind: outcome, text: message, error: executorFailed(message), cause }
  }
}

/** What an executor gets besides the message; no metadata. */
const envelope = ({ config }: ExecutorRecord, { installation, organization }: Subject) => ({
  executor_config: config,
  installation: {
    id: installation.id,
    name: installation.name,
    client_id: installation.client_id,
    organization_id: installation.organization_id
  },
  organization: {
    id: organization.id,
    name: organization.name,
    address: organization.address,
    email: organization.email,
    phone: organization.phone,
    notes: organization.notes
  }
})

/**
 * Records the outcome in the metrics, the log and the list of sends. A failure here is only logged.
 */
async function tell(
  { registry, metrics, log, clock }: Deps,
  { output, executor }: { output: OutputRecord; executor: ExecutorRecord },
  { kind, text, cause, ms }: Outcome & { ms: number }
): Promise<void> {
  metrics.notified(kind)
  const subject = {
    installation_id: output.installation_id,
    output_id: output.id,
    executor_id: executor.id
  }
  log.info({ ...subject, outcome: text, ms, ...(cause ? { err: cause } : {}) }, 'notification')
  await rememberSend(registry, output.id, { sent: clock(), outcome: text }).catch((err) =>
    log.error({ err, ...subject }, 'the outcome of a notification could not be stored')
  )
}
