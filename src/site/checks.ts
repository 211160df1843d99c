import { checkPlot } from '../features/board/plot-check.ts'
import { MAX_FILE_BYTES, versionOf } from '../features/edge/package.ts'
import { fileNameFault, mediaType } from '../features/file/file-name.ts'
import { MAX_FILE } from '../features/file/uploads.ts'
import { compile, fieldsOf as mappingOf } from '../features/mapping/fields.ts'
import { checkTemplate, checkTemplates } from '../features/notification/rendering.ts'
import { fieldsOf as ruleOf } from '../features/rule/fields.ts'
import { fieldsOf } from '../features/schedule/fields.ts'
import { isTimeZone } from '../lib/calendar.ts'
import { isTooDeep } from '../lib/edge-config.ts'
import { isMsgTooLong, type Sample } from '../lib/sample.ts'
import { hasWildcard, isTopicFilter, isWithinTopicLimits } from '../lib/topic.ts'
import { requireFewKeys, requireSize } from '../registry/meta.ts'
import type { RecordKind, RecordOf } from './records.ts'

type Check<Kind extends RecordKind> = (record: RecordOf<Kind>, clientId: number) => void

const refuse = (why: string): never => {
  throw new Error(why)
}

type Maps = { meta: Record<string, string>; protected_meta: Record<string, string> }

function checkMeta({ meta, protected_meta }: Maps): void {
  requireFewKeys(Object.keys(meta).length + Object.keys(protected_meta).length)
  requireSize(JSON.stringify(meta).length + JSON.stringify(protected_meta).length)
  if (Object.keys(meta).some((key) => Object.hasOwn(protected_meta, key))) {
    refuse('a key is in meta and in protected_meta')
  }
}

/** The rules of the rooms that are not in their schemas. Each throws if the record breaks one. */
export const recordChecks: { readonly [Kind in RecordKind]?: Check<Kind> } = {
  installation(record) {
    if (record.timezone && !isTimeZone(record.timezone)) refuse('timezone is not known here')
    checkMeta(record)
  },
  device: checkMeta,
  function: checkMeta,
  schedule: (record) => void fieldsOf(record),
  message: ({ text }) => checkTemplate('text', text),
  output: ({ config }) => checkTemplates(config ?? {}),
  version({ files, hash }) {
    if (!files) return
    const sizes = [files.app_json, files.app_lua].map((text) => Buffer.byteLength(text))
    if (sizes.some((size) => size > MAX_FILE_BYTES)) refuse('a file of the app is too large')
    if (versionOf(files).hash !== hash) refuse('the files of the app do not have its hash')
  },
  instance({ config }) {
    if (isTooDeep(config)) refuse('config is nested too deep')
  },
  board: ({ plots }) => plots.forEach(checkPlot),
  mapping: (record) => void compile(mappingOf(record)),
  rule: (record) => void ruleOf(record),
  blacklist({ topic }, clientId) {
    if (!isTopicFilter(topic) || !topic.startsWith(`${clientId}/`)) {
      refuse('topic is no filter of this installation')
    }
  },
  file({ name, mime, size }) {
    const fault = fileNameFault(name)
    if (fault) refuse(fault)
    if (mediaType(mime) !== mime) refuse('mime is no media type')
    if (size > MAX_FILE) refuse(`size must be at most ${MAX_FILE}`)
  }
}

/** A row as `encodeSample` writes it, so that `decodeSamples` can read it. */
const ROW = /^\d{1,16}\t\d{1,16}\t\d{1,16}\t[^\t\n]+\t\d{1,16}\t-?\d[\d.e+-]{0,40}\t[^\t\n]*$/

export const isRow = (line: string): boolean => ROW.test(line)

/** What is wrong with a sample, or undefined. `latest` is the newest time that it may have. */
export function sampleFault(
  { id, installation_id, client_id, topic, timestamp, value, msg }: Sample,
  of: { installation_id: number; client_id: number; latest: number }
): string | undefined {
  if (installation_id !== of.installation_id || client_id !== of.client_id) {
    return 'it belongs to another installation'
  }
  if (!topic.startsWith(`${client_id}/obj/`) || topic.length === `${client_id}/obj/`.length) {
    return 'its topic is not <client_id>/obj/...'
  }
  if (hasWildcard(topic) || topic.includes('\0') || !isWithinTopicLimits(topic)) {
    return 'its topic cannot be stored'
  }
  if (!Number.isSafeInteger(id)) return 'its id is too large'
  if (timestamp > of.latest) return 'its time is more than a day ahead'
  if (!Number.isFinite(value)) return 'its value is no number'
  return isMsgTooLong(msg) ? 'its msg is too long' : undefined
}
