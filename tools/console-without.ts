/** Why no page of the console uses an operation, and the operations of which this is true. */
const reasons: Readonly<Record<string, readonly string[]>> = {
  'for devices and programs, not for people': [
    ...['writeSamples', 'writeLines', 'verifyGateway', 'registerMobile', 'listPushTokens']
  ],
  'asked by a broker': ['emqxSignIn', 'emqxAuthorize', 'mosquittoSignIn', 'mosquittoAuthorize'],
  'for monitoring': ['getLiveness', 'getMetrics'],
  'opened by the link "API page"': ['getApiPage', 'getOpenApi'],
  'older form: the plot uses the one of v3beta': ['getLogV2', 'getLogV2OfTopics'],
  'the same with topics in the body is used, because a list of topics can be long': ['getLog'],
  'the object has its metadata': [
    ...['getFunctionMeta', 'getDeviceMeta', 'getInstallationMeta', 'getMyMeta', 'getUserMeta'],
    'getOrganizationMeta'
  ],
  'the list has it': [
    ...['getInstallationInfo', 'getInstallationExecutor', 'getInstallationFile'],
    ...['getOrganizationFile', 'listOrganizationEdgeApps', 'getEdgePublisher']
  ],
  'metadata are saved with the object': [
    ...['createUserMeta', 'updateUserMeta', 'deleteUserMeta', 'createOrganizationMeta'],
    ...['updateOrganizationMeta', 'deleteOrganizationMeta']
  ],
  'nobody chooses the password of another: a link is sent by mail': ['setUserPassword'],
  'everybody does it for oneself': [
    ...['getUserAlarmSettings', 'updateUserAlarmSettings', 'getUserPush'],
    ...['createUserPushSubscription', 'deleteUserPushSubscription']
  ],
  'the same with the id in the address is used': ['updateEdgeApp'],
  'a misspelt name that older clients use': [
    ...['getPermissions', 'explainPermission', 'getInstallationPermissions']
  ],
  'the same with the id of the user is used': [
    ...['setMyPassword', 'listMyTokens', 'createMyToken', 'deleteMyToken'],
    ...['createMyMeta', 'updateMyMeta', 'deleteMyMeta']
  ],
  'the same by PUT is used': ['replaceInstallationFileByPost', 'replaceOrganizationFileByPost']
}

/** By operation. */
export const withoutPage: ReadonlyMap<string, string> = new Map(
  Object.entries(reasons).flatMap(([reason, all]) => all.map((one) => [one, reason] as const))
)
