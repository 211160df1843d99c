/**
 * The types of the API of Caracal. Written by "npm run generate" in tools/client.
 * Fingerprint: d23cf438c09e4b32b4a71bc0254a01bf917db106794beb2d2866f40a20258a1d
 */
export interface paths {
    "/api/v2/auth": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Finish a sign-in with the code of the SMS
         * @description Send the token of POST /api/v2/auth, if its answer had `nextstep`. Without a challenge the answer is 401: no SMS is sent again, and none of the five tries is used. For another code, sign in again.
         */
        put: operations["finishSignIn"];
        /** Sign in with Basic */
        post: operations["signIn"];
        /** Sign out: end the token of this request */
        delete: operations["signOut"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/auth/reset_password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Set a new password; send the key of the mail in X-API-Key */
        put: operations["resetPassword"];
        /** Ask for a new password by mail */
        post: operations["requestPasswordReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/log/{installation_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Newest historic values of functions
         * @deprecated
         */
        get: operations["getLogV2"];
        put?: never;
        /**
         * Newest historic values of functions
         * @deprecated
         */
        post: operations["getLogV2OfTopics"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3beta/log/{installation_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Historic values, plain or aggregated, in pages */
        get: operations["getLog"];
        put?: never;
        /** Historic values, plain or aggregated, in pages */
        post: operations["getLogOfTopics"];
        /** Delete historic values; the latest values follow */
        delete: operations["deleteLog"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3beta/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Search installations, devices and functions by text and metadata */
        get: operations["search"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3beta/log/{installation_id}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Historic values as a CSV or NDJSON file */
        get: operations["exportLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3beta/log/{installation_id}/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Import historic values from a CSV or NDJSON file */
        post: operations["importLog"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3beta/sample/{installation_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Store values, all of them or none */
        post: operations["writeSamples"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/write": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Store values that are written as line protocol of InfluxDB 2 */
        post: operations["writeLines"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/mobile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Register a phone for push notifications */
        post: operations["registerMobile"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/mobile/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Push tokens of a user, for system accounts */
        get: operations["listPushTokens"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/functionx/{installation_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Every function of an installation, filtered by type and metadata */
        get: operations["listFunctions"];
        put?: never;
        /** Create a function */
        post: operations["createFunction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/functionx/{installation_id}/{functionx_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One function */
        get: operations["getFunction"];
        /** Update a function; fields that are missing or null keep their value */
        put: operations["updateFunction"];
        post?: never;
        /** Delete a function */
        delete: operations["deleteFunction"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/functionx/{installation_id}/{functionx_id}/meta/{meta_key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One metadata key */
        get: operations["getFunctionMeta"];
        /** Update a metadata key; with `create_missing` it may be new */
        put: operations["updateFunctionMeta"];
        /** Create a metadata key */
        post: operations["createFunctionMeta"];
        /** Delete a metadata key */
        delete: operations["deleteFunctionMeta"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/devicex/{installation_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Every device of an installation, filtered by type and metadata */
        get: operations["listDevices"];
        put?: never;
        /** Create a device */
        post: operations["createDevice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/devicex/{installation_id}/{devicex_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One device */
        get: operations["getDevice"];
        /** Update a device; fields that are missing or null keep their value */
        put: operations["updateDevice"];
        post?: never;
        /** Delete a device */
        delete: operations["deleteDevice"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/devicex/{installation_id}/{devicex_id}/meta/{meta_key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One metadata key */
        get: operations["getDeviceMeta"];
        /** Update a metadata key; with `create_missing` it may be new */
        put: operations["updateDeviceMeta"];
        /** Create a metadata key */
        post: operations["createDeviceMeta"];
        /** Delete a metadata key */
        delete: operations["deleteDeviceMeta"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How fresh the values of each installation are */
        get: operations["listFreshness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/status/{installation_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Latest value per topic */
        get: operations["getStatus"];
        put?: never;
        /** Latest value per topic */
        post: operations["getStatusOfTopics"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/installationinfo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Installations that the caller can see */
        get: operations["listInstallationInfo"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/installationinfo/{client_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One installation by its MQTT identifier */
        get: operations["getInstallationInfo"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/installation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Installations that the caller can see, filtered by metadata */
        get: operations["listInstallations"];
        put?: never;
        /** Create an installation */
        post: operations["createInstallation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/installation/{installation_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One installation */
        get: operations["getInstallation"];
        /** Update an installation; fields that are missing or null keep their value */
        put: operations["updateInstallation"];
        post?: never;
        /** Delete an installation, its objects and its history */
        delete: operations["deleteInstallation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/installation/{installation_id}/meta/{meta_key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One metadata key */
        get: operations["getInstallationMeta"];
        /** Update a metadata key; with `create_missing` it may be new */
        put: operations["updateInstallationMeta"];
        /** Create a metadata key */
        post: operations["createInstallationMeta"];
        /** Delete a metadata key */
        delete: operations["deleteInstallationMeta"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/installation/{installation_id}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An installation with its objects, history and files as one file
         * @description It has everything of the installation, protected metadata too. The answer begins when the file is complete. `npm run caracal -- import` reads it.
         */
        post: operations["exportInstallation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/installation/{installation_id}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How much of each quota an installation uses */
        get: operations["getInstallationUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/installation/{installation_id}/quota": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The quotas of an installation */
        get: operations["getInstallationQuota"];
        /** Set all quotas of an installation; only for callers who reach the top organization; fields that are missing or null get the default */
        put: operations["updateInstallationQuota"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/board/{installation_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The board of an installation; it is empty if nobody made one */
        get: operations["getBoard"];
        /** Replace the board of an installation */
        put: operations["updateBoard"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/mapping/{installation_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Mappings of an installation */
        get: operations["listMappings"];
        put?: never;
        /** Create a mapping of an installation */
        post: operations["createMapping"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/mapping/{installation_id}/{mapping_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One mapping of an installation */
        get: operations["getMapping"];
        /** Update a mapping of an installation; fields that are missing or null keep their value */
        put: operations["updateMapping"];
        post?: never;
        /** Delete a mapping of an installation */
        delete: operations["deleteMapping"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/mapping/organization/{organization_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Mappings of an organization */
        get: operations["listOrganizationMappings"];
        put?: never;
        /** Create a mapping of an organization */
        post: operations["createOrganizationMapping"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/mapping/organization/{organization_id}/{mapping_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One mapping of an organization */
        get: operations["getOrganizationMapping"];
        /** Update a mapping of an organization; fields that are missing or null keep their value */
        put: operations["updateOrganizationMapping"];
        post?: never;
        /** Delete a mapping of an organization */
        delete: operations["deleteOrganizationMapping"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/mapping/{installation_id}/message": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The newest messages of an installation that a mapping may read */
        get: operations["listLastMessages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/mapping/{installation_id}/try": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** What the mappings of an installation, or the given one, make of a message */
        post: operations["tryMappings"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/alarm/{installation_id}/{alarm_id}/delivery": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The messages about an alarm, newest first; at most 1000 */
        get: operations["listAlarmDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/alarm/{installation_id}/recipient": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How many users would be told of an alarm, by its severity
         * @description Who writes a rule sees by this whether anybody would learn of its alarms
         */
        get: operations["countAlarmRecipients"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/rule/{installation_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Rules of an installation */
        get: operations["listRules"];
        put?: never;
        /** Create a rule of an installation */
        post: operations["createRule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/rule/{installation_id}/{rule_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One rule of an installation */
        get: operations["getRule"];
        /** Update a rule of an installation; fields that are missing keep their value, and those that are null as well, except schedule */
        put: operations["updateRule"];
        post?: never;
        /** Delete a rule of an installation; its open alarms are cleared */
        delete: operations["deleteRule"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/rule/organization/{organization_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Rules of an organization */
        get: operations["listOrganizationRules"];
        put?: never;
        /** Create a rule of an organization */
        post: operations["createOrganizationRule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/rule/organization/{organization_id}/{rule_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One rule of an organization */
        get: operations["getOrganizationRule"];
        /** Update a rule of an organization; fields that are missing keep their value, and those that are null as well, except schedule */
        put: operations["updateOrganizationRule"];
        post?: never;
        /** Delete a rule of an organization; its open alarms are cleared */
        delete: operations["deleteOrganizationRule"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/rule/{installation_id}/try": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The alarms that a rule would have raised over stored values, newest first
         * @description The caller needs `log/read` as well
         */
        post: operations["tryRule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/alarm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Alarms of all installations whose alarms the caller may list, newest first */
        get: operations["listAllAlarms"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/alarm/{installation_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Alarms of an installation, newest first */
        get: operations["listAlarms"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/alarm/{installation_id}/{alarm_id}/acknowledge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Acknowledge an alarm; a later acknowledgement replaces an earlier one */
        put: operations["acknowledgeAlarm"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/command/{installation_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Publish a command on a topic of the installation and wait for the answer */
        post: operations["sendCommand"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/schedule/{installation_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Schedules of an installation */
        get: operations["listSchedules"];
        put?: never;
        /** Create a schedule */
        post: operations["createSchedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/schedule/{installation_id}/{schedule_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One schedule */
        get: operations["getSchedule"];
        /** Replace a schedule */
        put: operations["updateSchedule"];
        post?: never;
        /** Delete a schedule */
        delete: operations["deleteSchedule"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/schedule/{installation_id}/{schedule_id}/next": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The next times of a schedule, even if it is not active */
        get: operations["listNextRuns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/schedule/{installation_id}/{schedule_id}/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The last runs by the platform, newest first */
        get: operations["listRuns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/gateway/verify/{installation_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A gateway shows its credential and may report its capabilities */
        post: operations["verifyGateway"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/gateway/reset/{installation_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Delete the credential of the gateway and end its connections */
        post: operations["resetGateway"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/gateway/credentials/{installation_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create a new credential for the gateway; the old one ends */
        post: operations["createGatewayCredentials"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/gateway/broker": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The addresses at which devices reach the MQTT broker */
        get: operations["getBrokerAddresses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/gateway/registration/policy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The policy for gateways that are not registered */
        get: operations["getGatewayRegistrationPolicy"];
        /** Set whether unregistered gateways are accepted */
        put: operations["updateGatewayRegistrationPolicy"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/certificate/authority": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The authority of the platform; 404 until the first certificate is issued */
        get: operations["getCertificateAuthority"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/certificate/{installation_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The client certificates of an installation, newest first */
        get: operations["listCertificates"];
        put?: never;
        /** Issue a client certificate for MQTT; a private key is shown once */
        post: operations["issueCertificate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/certificate/{installation_id}/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Register a client certificate that an authority of the operator has issued */
        post: operations["registerCertificate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/certificate/{installation_id}/{certificate_id}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Revoke a client certificate and end its connections */
        post: operations["revokeCertificate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/perimission": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Permissions of the caller */
        get: operations["getPermissions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/perimission/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Explain which grant gives a permission to the caller or a user, or why none does
         * @description Another user than the caller needs `permission/explain`, and the user and the installation must be visible to the caller.
         */
        get: operations["explainPermission"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/perimission/installation/{installation_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What the caller may do on an installation
         * @description The names have no scope: `log/read`. Every name is there, true or false.
         */
        get: operations["getInstallationPermissions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/permission": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Permissions of the caller */
        get: operations["getPermissionsAlias"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/permission/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Explain which grant gives a permission to the caller or a user, or why none does
         * @description Another user than the caller needs `permission/explain`, and the user and the installation must be visible to the caller.
         */
        get: operations["explainPermissionAlias"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/permission/installation/{installation_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What the caller may do on an installation
         * @description The names have no scope: `log/read`. Every name is there, true or false.
         */
        get: operations["getInstallationPermissionsAlias"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/role": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Roles of the platform and of the organizations that the caller can see */
        get: operations["listRoles"];
        put?: never;
        /** Create a role; default: of the platform if the caller reaches all of it, else of the caller's first organization */
        post: operations["createRole"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/role/{role_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One role */
        get: operations["getRole"];
        /** Update a role; fields that are missing or null keep their value */
        put: operations["updateRole"];
        post?: never;
        /** Delete a role */
        delete: operations["deleteRole"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/user": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Users that the caller can see, filtered by metadata */
        get: operations["listUsers"];
        put?: never;
        /** Create a user; the default organization is the caller's first one */
        post: operations["createUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/user/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One user (the caller) */
        get: operations["getMe"];
        /** Update a user; fields that are missing or null keep their value (the caller) */
        put: operations["updateMe"];
        post?: never;
        /** Delete a user, and its connections to installations (the caller) */
        delete: operations["deleteMe"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/user/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One user */
        get: operations["getUser"];
        /** Update a user; fields that are missing or null keep their value */
        put: operations["updateUser"];
        post?: never;
        /** Delete a user, and its connections to installations */
        delete: operations["deleteUser"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/user/me/meta/{meta_key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One metadata key (the caller) */
        get: operations["getMyMeta"];
        /** Update a metadata key; with `create_missing` it may be new (the caller) */
        put: operations["updateMyMeta"];
        /** Create a metadata key (the caller) */
        post: operations["createMyMeta"];
        /** Delete a metadata key (the caller) */
        delete: operations["deleteMyMeta"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/user/{user_id}/meta/{meta_key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One metadata key */
        get: operations["getUserMeta"];
        /** Update a metadata key; with `create_missing` it may be new */
        put: operations["updateUserMeta"];
        /** Create a metadata key */
        post: operations["createUserMeta"];
        /** Delete a metadata key */
        delete: operations["deleteUserMeta"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/user/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Change the caller's own password */
        put: operations["changePassword"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/user/me/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Set a password; the caller's own one needs the current password (the caller) */
        put: operations["setMyPassword"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/user/{user_id}/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Set a password; the caller's own one needs the current password */
        put: operations["setUserPassword"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/user/me/security/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** API keys and sessions of a user (the caller) */
        get: operations["listMyTokens"];
        put?: never;
        /** Create an API key; it is shown only once (the caller) */
        post: operations["createMyToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/user/{user_id}/security/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** API keys and sessions of a user */
        get: operations["listUserTokens"];
        put?: never;
        /** Create an API key; it is shown only once */
        post: operations["createUserToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/user/me/security/token/{token_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Delete an API key, or end a session (the caller) */
        delete: operations["deleteMyToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/user/{user_id}/security/token/{token_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Delete an API key, or end a session */
        delete: operations["deleteUserToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/user/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Register; the key for the first password is sent by mail */
        post: operations["registerUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/user/registration/policy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Registration policies of the caller's organizations and below */
        get: operations["listRegistrationPolicies"];
        put?: never;
        /** Create a policy; the default place is the caller's first organization */
        post: operations["createRegistrationPolicy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/user/registration/policy/{policy_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One registration policy */
        get: operations["getRegistrationPolicy"];
        /** Update a policy; fields that are missing, null or 0 keep their value */
        put: operations["updateRegistrationPolicy"];
        post?: never;
        /** Delete a registration policy */
        delete: operations["deleteRegistrationPolicy"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/user/me/alarm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How a user is told of alarms; empty lists: not at all (the caller) */
        get: operations["getMyAlarmSettings"];
        /** Replace how a user is told of alarms (the caller) */
        put: operations["updateMyAlarmSettings"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/user/{user_id}/alarm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How a user is told of alarms; empty lists: not at all */
        get: operations["getUserAlarmSettings"];
        /** Replace how a user is told of alarms */
        put: operations["updateUserAlarmSettings"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/user/me/alarm/push": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The public key for Web Push, and the browsers that a user is told by (the caller) */
        get: operations["getMyPush"];
        put?: never;
        /** Register a browser for Web Push; the newest 20 of a user are kept (the caller) */
        post: operations["createMyPushSubscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/user/{user_id}/alarm/push": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The public key for Web Push, and the browsers that a user is told by */
        get: operations["getUserPush"];
        put?: never;
        /** Register a browser for Web Push; the newest 20 of a user are kept */
        post: operations["createUserPushSubscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/user/me/alarm/push/{subscription_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Remove a browser (the caller) */
        delete: operations["deleteMyPushSubscription"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/user/{user_id}/alarm/push/{subscription_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Remove a browser */
        delete: operations["deleteUserPushSubscription"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/organization": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Organizations that the caller can see, filtered by metadata */
        get: operations["listOrganizations"];
        put?: never;
        /** Create an organization */
        post: operations["createOrganization"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/organization/{organization_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One organization, with the ids of its parent and children */
        get: operations["getOrganization"];
        /** Update an organization; fields that are missing or null keep their value */
        put: operations["updateOrganization"];
        post?: never;
        /** Delete an organization; with force also all organizations, installations and members below it */
        delete: operations["deleteOrganization"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/organization/{organization_id}/force_password_reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Force every member, here and below, to set a new password with a key sent by mail; also needs user/update */
        post: operations["forcePasswordReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/organization/{organization_id}/meta/{meta_key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One metadata key */
        get: operations["getOrganizationMeta"];
        /** Update a metadata key; with `create_missing` it may be new */
        put: operations["updateOrganizationMeta"];
        /** Create a metadata key */
        post: operations["createOrganizationMeta"];
        /** Delete a metadata key */
        delete: operations["deleteOrganizationMeta"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/organization/{organization_id}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How much of each quota an organization and all below it use */
        get: operations["getOrganizationUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/organization/{organization_id}/quota": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The quotas of an organization */
        get: operations["getOrganizationQuota"];
        /** Set all quotas of an organization; only for callers who reach the top organization; fields that are missing or null get the default */
        put: operations["updateOrganizationQuota"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/edge/app": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Apps that the caller can use or publishes */
        get: operations["listEdgeApps"];
        /** Update an app; fields that are missing or null keep their value */
        put: operations["updateEdgeApp"];
        /** Create an app */
        post: operations["createEdgeApp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/edge/app/{app_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One app */
        get: operations["getEdgeApp"];
        /** Update an app; fields that are missing or null keep their value */
        put: operations["updateEdgeAppById"];
        post?: never;
        /** Delete an app with its versions; 409 while an installation uses it */
        delete: operations["deleteEdgeApp"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/edge/app/organization/{organization_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Apps that an organization publishes, or all that it can use */
        get: operations["listOrganizationEdgeApps"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/edge/publisher/{publisher_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A publisher, and its apps that the caller can see */
        get: operations["getEdgePublisher"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/edge/app/{app_id}/download": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The script of a version */
        get: operations["downloadEdgeApp"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/edge/app/{app_id}/configure": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The app.json of a version as uploaded; without `version` the latest published one */
        get: operations["getEdgeAppConfiguration"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/edge/app/{app_id}/version": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Versions, newest first */
        get: operations["listEdgeAppVersions"];
        put?: never;
        /** Upload `app_json` and `app_lua`, of at most 1 MiB each; a missing part is copied from the latest version */
        post: operations["uploadEdgeAppVersion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/edge/app/{app_id}/publish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Publish a version: give it a name */
        post: operations["publishEdgeAppVersion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/edge/app/configured/{installation_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Apps configured on an installation */
        get: operations["listEdgeAppInstances"];
        put?: never;
        /** Configure an app on an installation */
        post: operations["createEdgeAppInstance"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/edge/app/configured/{installation_id}/{instance_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One app configured on an installation */
        get: operations["getEdgeAppInstance"];
        /** Change version, name or configuration of an app on an installation */
        put: operations["updateEdgeAppInstance"];
        post?: never;
        /** Remove an app from an installation */
        delete: operations["deleteEdgeAppInstance"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/blacklist/topic": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Blacklist entries in the organizations of the caller */
        get: operations["listBlacklistEntries"];
        put?: never;
        /** Refuse messages on a topic, or do not store them */
        post: operations["createBlacklistEntry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/blacklist/topic/{entry_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One entry of the blacklist */
        get: operations["getBlacklistEntry"];
        /** Update an entry; fields that are missing or null keep their value; so does the count */
        put: operations["updateBlacklistEntry"];
        post?: never;
        /** Delete an entry of the blacklist */
        delete: operations["deleteBlacklistEntry"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/notification/{installation_id}/message": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Messages of an installation */
        get: operations["listMessages"];
        put?: never;
        /** Create a message */
        post: operations["createMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/notification/{installation_id}/message/try": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Render a text with a payload; nothing is stored or sent */
        post: operations["tryMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/notification/{installation_id}/message/{message_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One message */
        get: operations["getMessage"];
        /** Update a message; fields that are missing or null keep their value */
        put: operations["updateMessage"];
        post?: never;
        /** Delete a message that no output uses */
        delete: operations["deleteMessage"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/notification/{installation_id}/output": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Outputs of an installation */
        get: operations["listOutputs"];
        put?: never;
        /** Create an output: a message, an executor and its configuration */
        post: operations["createOutput"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/notification/{installation_id}/output/{output_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One output */
        get: operations["getOutput"];
        /** Update an output; fields that are missing or null keep their value */
        put: operations["updateOutput"];
        post?: never;
        /** Delete an output */
        delete: operations["deleteOutput"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/notification/{installation_id}/output/{output_id}/send": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send an output; the body is its payload: a JSON object or nothing */
        post: operations["sendOutput"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/notification/{installation_id}/output/{output_id}/sends": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Results of the last sends, newest first */
        get: operations["listSends"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/notification/{installation_id}/executor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Executors of the installation's organization and those above it */
        get: operations["listInstallationExecutors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/notification/{installation_id}/executor/{executor_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One executor that an installation can use */
        get: operations["getInstallationExecutor"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/admin/notification/executor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Executors of the organizations that the caller can see */
        get: operations["listExecutors"];
        put?: never;
        /** Create an executor; the platform calls `config.url` */
        post: operations["createExecutor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/admin/notification/executor/{executor_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One executor */
        get: operations["getExecutor"];
        /** Update an executor; fields that are missing or null keep their value */
        put: operations["updateExecutor"];
        post?: never;
        /** Delete an executor that no output uses */
        delete: operations["deleteExecutor"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/file/download/{hash}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The content of a file that the caller may download */
        get: operations["downloadFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/file/installation/{installation_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Files of an installation */
        get: operations["listInstallationFiles"];
        put?: never;
        /** Upload up to 20 files of at most 30 MiB each; every part with a filename is a file */
        post: operations["uploadInstallationFiles"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/file/installation/{installation_id}/{file_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One file */
        get: operations["getInstallationFile"];
        /** Replace a file by one of at most 30 MiB */
        put: operations["replaceInstallationFile"];
        /** Replace a file by one of at most 30 MiB */
        post: operations["replaceInstallationFileByPost"];
        /** Delete a file; the content is removed with the last file that has it */
        delete: operations["deleteInstallationFile"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/file/organization/{organization_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Files of an organization */
        get: operations["listOrganizationFiles"];
        put?: never;
        /** Upload up to 20 files of at most 30 MiB each; every part with a filename is a file */
        post: operations["uploadOrganizationFiles"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/file/organization/{organization_id}/{file_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One file */
        get: operations["getOrganizationFile"];
        /** Replace a file by one of at most 30 MiB */
        put: operations["replaceOrganizationFile"];
        /** Replace a file by one of at most 30 MiB */
        post: operations["replaceOrganizationFileByPost"];
        /** Delete a file; the content is removed with the last file that has it */
        delete: operations["deleteOrganizationFile"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/trace": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who changed what and when, for objects that the caller can see */
        get: operations["listTrace"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/ping": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check that the API answers */
        get: operations["ping"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/ledger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Messages that were acknowledged but not stored, newest first */
        get: operations["listLedger"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/ledger/{installation_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Messages of an installation that were acknowledged but not stored, newest first */
        get: operations["listLedgerOfInstallation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/system": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Disk, spool, connections and what is wrong, of the node that answers */
        get: operations["getSystem"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/system/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Rates and latencies of the last week, recorded every minute */
        get: operations["getSystemHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/system/client": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** MQTT clients that are connected to the embedded broker now, the first one first */
        get: operations["listConnectedClients"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/system/backup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The last and the next backup of the node that answers, and what is done now */
        get: operations["getBackup"];
        put?: never;
        /** Begin a backup into CARACAL_BACKUP_DIR; GET tells how it goes on */
        post: operations["makeBackup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/system/backup/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Begin to read all of the newest backup in CARACAL_BACKUP_DIR */
        post: operations["verifyBackup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/broker/auth": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** EMQX asks who connects */
        post: operations["emqxSignIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/broker/acl": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** EMQX asks who may publish and subscribe */
        post: operations["emqxAuthorize"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/broker/mosquitto/user": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Mosquitto asks who connects */
        post: operations["mosquittoSignIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/broker/mosquitto/acl": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Mosquitto asks who may publish, subscribe and receive */
        post: operations["mosquittoAuthorize"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check that the process runs and takes requests; 503 while it stops */
        get: operations["getLiveness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check that all engines work */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Prometheus metrics */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** API page */
        get: operations["getApiPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** OpenAPI description */
        get: operations["getOpenApi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Acknowledgement: {
            /** @default  */
            note?: string | null;
        };
        Address: {
            address: string;
            city: string;
            country: string;
            zip: string;
        };
        Alarm: {
            /** Format: int64 */
            id: number;
            /**
             * Format: int64
             * @description null: the gateway of the installation is gone. The rule may be deleted
             */
            rule_id: number | null;
            /** Format: int64 */
            installation_id: number;
            topic: string;
            /** @enum {string} */
            severity: "info" | "warning" | "critical";
            /**
             * @description A cleared alarm keeps its acknowledgement
             * @example cleared
             * @enum {string}
             */
            state: "raised" | "acknowledged" | "cleared";
            /** @description Unix time in seconds, with decimals for milliseconds */
            raised_at: number;
            /** @description Unix time in seconds, with decimals for milliseconds */
            acknowledged_at: number | null;
            /**
             * Format: int64
             * @description A user
             */
            acknowledged_by: number | null;
            note: string;
            /** @description Unix time in seconds, with decimals for milliseconds */
            cleared_at: number | null;
            /** @description That raised it; null: there was none */
            value: number | null;
            message: string;
        };
        AlarmDelivery: {
            /** @description Unix time in seconds, with decimals for milliseconds */
            at: number;
            /** @enum {string} */
            channel: "mail" | "sms" | "push" | "webhook";
            /** @description Empty if the caller may not see the user */
            to: string;
            /** @description `sent`, `failed: <why>` or `held` */
            result: string;
        };
        AlarmRecipients: {
            /** Format: int64 */
            info: number;
            /** Format: int64 */
            warning: number;
            /** Format: int64 */
            critical: number;
        };
        AlarmSettings: {
            severities: ("info" | "warning" | "critical")[];
            channels: ("mail" | "sms" | "push" | "webhook")[];
            /** @description Hours without messages, in the time zone of the installation */
            quiet: components["schemas"]["QuietHours"] | null;
            /** @description When what was held is told; empty: at the end of `quiet` */
            digest: string;
            /** @description Who is told if an alarm is still open and nobody has acknowledged it */
            escalate: components["schemas"]["Escalation"] | null;
            webhook: string;
        };
        AlarmSettingsUpdate: {
            severities: ("info" | "warning" | "critical")[];
            channels: ("mail" | "sms" | "push" | "webhook")[];
            quiet?: components["schemas"]["QuietHours"] | null;
            /**
             * @description a time such as 08:00, or empty
             * @default
             */
            digest?: string | null;
            escalate?: components["schemas"]["Escalation"] | null;
            /**
             * @description Gets POST `{alarms, total}`; an address as of a notification executor, or empty
             * @default
             */
            webhook?: string | null;
        };
        BackupState: {
            /** @description CARACAL_BACKUP_DIR; null: it is not set, and no backup is made here */
            directory: string | null;
            /**
             * Format: int64
             * @description Seconds from one backup to the next
             */
            every: number | null;
            /**
             * Format: int64
             * @description So many backups stay in the folder
             */
            keep: number | null;
            /**
             * Format: int64
             * @description Complete backups in the folder now
             */
            count: number;
            /**
             * Format: int64
             * @description When the next one is due, in Unix seconds
             */
            next: number | null;
            made: {
                /** @description The name of the backup */
                name: string;
                /**
                 * Format: int64
                 * @description Unix time in whole seconds
                 */
                started: number;
                /**
                 * Format: int64
                 * @description Unix time in whole seconds
                 */
                ended: number;
                /** Format: int64 */
                bytes: number;
                /**
                 * Format: int64
                 * @description What this backup added to the disk
                 */
                new_bytes: number;
            } | null;
            /** @description How the last one failed, if it came after `made` */
            failed: {
                /**
                 * Format: int64
                 * @description Unix time in whole seconds
                 */
                at: number;
                error: string;
            } | null;
            /** @description What is done now */
            task: {
                /** @enum {string} */
                what: "make" | "verify";
                /**
                 * Format: int64
                 * @description Unix time in whole seconds
                 */
                since: number;
                /** @description The finished part, 0 to 1 */
                done: number;
            } | null;
            /** @description The last backup that was read because somebody asked for it */
            verified: {
                /** @description The name of the backup */
                name: string;
                /**
                 * Format: int64
                 * @description Unix time in whole seconds
                 */
                at: number;
                /** Format: int64 */
                values: number;
                /** Format: int64 */
                files: number;
                /**
                 * Format: int64
                 * @description 0: everything is whole
                 */
                faults: number;
                /** @description The first ones */
                findings: {
                    file: string;
                    fault: string;
                    lost?: string;
                }[];
                /** @description Why it could not be read to its end */
                error: string | null;
            } | null;
        };
        BlacklistEntry: {
            /** Format: int64 */
            id: number;
            /** @description An MQTT topic filter that begins with `<client_id>/` or a wildcard */
            topic: string;
            /** @description `block`: messages are refused; `ignore`: messages are delivered but not stored */
            mode: string;
            enabled: boolean;
            reason: string;
            /**
             * Format: int64
             * @description Messages that were refused
             */
            count: number;
        };
        BlacklistEntryUpdate: {
            topic?: string | null;
            /** @enum {string|null} */
            mode?: "block" | "ignore" | "" | null;
            enabled?: boolean | null;
            reason?: string | null;
        };
        Board: {
            /** Format: int64 */
            installation_id: number;
            plots: components["schemas"]["BoardPlot"][];
            /** @description Unix time of the last change; 0 = never */
            updated: number;
        };
        BoardPlot: {
            title: string;
            topics: string[];
            /** @description Shows the last so many seconds; in place of `from` and `to` */
            span?: number;
            /** @description Unix time in seconds, with decimals for milliseconds */
            from?: number;
            /** @description Unix time in seconds, with decimals for milliseconds */
            to?: number;
            /** @description Shows the time before beside it; default: false */
            compare?: boolean;
        };
        BoardUpdate: {
            plots: components["schemas"]["BoardPlot"][];
            /** @description `updated` of the board that was read: 409 if somebody changed it since */
            updated?: number | null;
        };
        BrokerAddresses: {
            /** @description `mqtts://`, `mqtt://`, `wss://` or `ws://`, with host and port. Encrypted ones come first. */
            urls: string[];
        };
        Certificate: {
            /** Format: int64 */
            id: number;
            /** Format: int64 */
            installation_id: number;
            name: string;
            /** @description SHA-256 of the certificate, in hexadecimal digits */
            fingerprint: string;
            subject: string;
            /** @description By the platform; false: by an authority of the operator */
            issued: boolean;
            /** @description All MQTT topics of a connection with this key are below `<client_id>/<prefix>/` of the installation. The device neither writes nor sees that part. Such a key is for MQTT only */
            mount?: components["schemas"]["Mount"];
            /** @description Unix time in seconds, with decimals for milliseconds */
            not_before: number;
            /** @description Unix time in seconds, with decimals for milliseconds */
            not_after: number;
            /** @description Unix time in seconds, with decimals for milliseconds */
            created: number;
            /** @description Unix time in seconds, with decimals for milliseconds */
            revoked: number | null;
            /**
             * @description `expiring`: it ends within 30 days. `pending`: it is not valid yet
             * @enum {string}
             */
            status: "valid" | "expiring" | "expired" | "revoked" | "pending";
        };
        CertificateAuthority: {
            /** @description PEM */
            certificate: string;
            fingerprint: string;
        };
        Challenge: {
            /** @description The code of the SMS */
            challenge?: string | null;
        };
        CommandAnswer: {
            /** @description Where the answer came, with client id */
            topic: string;
            /** @description Unix time in seconds, with decimals for milliseconds */
            timestamp: number;
            /** @description Missing if it is no UTF-8 */
            payload?: string;
            /** @description The payload if it is no UTF-8, as base64 */
            payload_base64?: string;
            /** @description If the device says it, by MQTT 5 */
            content_type?: string;
            /** @description If the device sends any, by MQTT 5, in their order */
            user_properties?: {
                name: string;
                value: string;
            }[];
        };
        ConnectedClients: {
            /** @enum {string} */
            broker: "embedded" | "external";
            /**
             * Format: int64
             * @description Connected to this node; 0 with an external broker
             */
            total: number;
            /**
             * Format: int64
             * @description As many fit the search, on all pages
             */
            found: number;
            clients: {
                /**
                 * Format: int64
                 * @description Rises with each connection since the start
                 */
                id: number;
                /** @description As the client sent it */
                client_id: string;
                /** @description Who has signed in */
                account: {
                    /** @enum {string} */
                    kind: "user" | "gateway";
                    /**
                     * Format: int64
                     * @description Of the user, or of the installation of the gateway
                     */
                    id: number;
                    name: string;
                    /**
                     * Format: int64
                     * @description The id of the API key, if it has a mount
                     */
                    key?: number;
                    /** Format: int64 */
                    certificate?: number;
                };
                /** @description Of the gateway or of the mount; null: it is for no single one */
                installation: {
                    /** Format: int64 */
                    id: number;
                    name: string;
                } | null;
                /** @enum {string} */
                protocol: "3.1" | "3.1.1" | "5";
                address: string;
                /**
                 * Format: int64
                 * @description Unix time in whole seconds
                 */
                since: number;
            }[];
        };
        Device: {
            /** Format: int64 */
            id: number;
            /** Format: int64 */
            installation_id: number;
            type: string;
            /** @description Texts by key, with keys of 1 to 255 characters. Plain and protected ones together have at most 262144 characters */
            meta: components["schemas"]["Meta"];
            /** @description Texts by key, with keys of 1 to 255 characters. Plain and protected ones together have at most 262144 characters */
            protected_meta?: components["schemas"]["Meta"];
            /**
             * Format: int64
             * @description Unix time in whole seconds
             */
            created: number;
            /**
             * Format: int64
             * @description Unix time in whole seconds
             */
            updated: number;
        };
        DeviceUpdate: {
            /** @description text of 1 to 100 characters without /, + and #; missing: kept */
            type: string | null;
            /** @description Texts by key, with keys of 1 to 255 characters. Plain and protected ones together have at most 262144 characters */
            meta: components["schemas"]["Meta"] | null;
            /**
             * Format: int64
             * @description Ignored
             */
            id?: number | null;
            /** @description Ignored */
            created?: number | null;
            /** @description Ignored */
            updated?: number | null;
            /**
             * Format: int64
             * @description Ignored: the installation comes from the path; missing: the installation of the path
             */
            installation_id: number | null;
            /** @description Texts by key, with keys of 1 to 255 characters. Plain and protected ones together have at most 262144 characters */
            protected_meta?: components["schemas"]["Meta"] | null;
        };
        EdgeApp: {
            /** Format: int64 */
            id: number;
            name: string;
            category: string;
            tags: string[];
            short_description: string;
            /** @description Markdown */
            description: string;
            publisher: {
                /** Format: int64 */
                id: number;
                name: string;
            };
            official: boolean;
            public: boolean;
            source_url: string;
            /**
             * Format: int64
             * @description Unix time in whole seconds
             */
            created: number;
            /**
             * Format: int64
             * @description Unix time in whole seconds
             */
            updated: number;
        };
        EdgeAppHash: {
            hash: string;
        };
        EdgeAppInstance: {
            /** Format: int64 */
            id: number;
            /** Format: int64 */
            app_id: number;
            /** Format: int64 */
            installation_id: number;
            version: string;
            config: {
                [key: string]: unknown;
            };
            name: string;
            /**
             * Format: int64
             * @description Unix time in whole seconds
             */
            created: number;
            /**
             * Format: int64
             * @description Unix time in whole seconds
             */
            updated: number;
        };
        EdgeAppInstanceUpdate: {
            /** Format: int64 */
            app_id: number;
            version: string;
            name: string;
            /** @default {} */
            config?: {
                [key: string]: unknown;
            } | null;
        };
        EdgeAppUpdate: {
            /** @description missing: kept */
            name: string | null;
            /** @description Ignored: the publisher cannot be changed; missing: kept */
            publisher: {
                /**
                 * Format: int64
                 * @description missing: kept
                 */
                id: number | null;
                /** @description Ignored */
                name?: string | null;
            } | null;
            /**
             * Format: int64
             * @description Ignored
             */
            id?: number | null;
            /** @description Ignored */
            created?: number | null;
            /** @description Ignored */
            updated?: number | null;
            /** @description missing: kept */
            category: string | null;
            /** @description missing: kept */
            tags: string[] | null;
            /** @description missing: kept */
            short_description: string | null;
            /** @description missing: kept */
            description: string | null;
            /** @description missing: kept */
            public: boolean | null;
            official?: boolean | null;
            source_url?: string | null;
        };
        EdgeAppUpdateWithId: {
            /** @description missing: kept */
            name: string | null;
            /** @description Ignored: the publisher cannot be changed; missing: kept */
            publisher: {
                /**
                 * Format: int64
                 * @description missing: kept
                 */
                id: number | null;
                /** @description Ignored */
                name?: string | null;
            } | null;
            /** Format: int64 */
            id: number;
            /** @description Ignored */
            created?: number | null;
            /** @description Ignored */
            updated?: number | null;
            /** @description missing: kept */
            category: string | null;
            /** @description missing: kept */
            tags: string[] | null;
            /** @description missing: kept */
            short_description: string | null;
            /** @description missing: kept */
            description: string | null;
            /** @description missing: kept */
            public: boolean | null;
            official?: boolean | null;
            source_url?: string | null;
        };
        EdgeAppVersion: {
            name: string;
            hash: string;
            /**
             * Format: int64
             * @description Unix time in whole seconds
             */
            timestamp: number;
        };
        EdgePublisher: {
            /** Format: int64 */
            id: number;
            name: string;
            apps: components["schemas"]["EdgeApp"][];
        };
        EmqxAnswer: {
            /** @enum {string} */
            result: "allow" | "deny";
        };
        EmqxQuestion: {
            clientid: string;
            username?: string | null;
            topic: string;
            /** @enum {string} */
            action: "publish" | "subscribe";
        };
        EmqxSignIn: {
            clientid: string;
            username?: string | null;
            password?: string | null;
            peerhost?: string | null;
        };
        EmqxSignInAnswer: {
            /** @enum {string} */
            result: "allow" | "deny";
            is_superuser: boolean;
        };
        /**
         * @example {
         *       "message": "Unauthorized"
         *     }
         */
        Error: {
            message: string;
        };
        Escalation: {
            /** @description a time from 1m to 7d, such as 15m */
            after: string;
            /** Format: int64 */
            user_id: number;
        };
        Executor: {
            /** Format: int64 */
            id: number;
            type: string;
            name: string;
            /** Format: int64 */
            organization_id: number;
            config: {
                [key: string]: string;
            };
            /** @description Sent as X-API-Key; only shown to callers who manage executors */
            secret?: string;
        };
        ExecutorUpdate: {
            name?: string | null;
            /** @description texts by key, with keys of 1 to 255 characters */
            config?: {
                [key: string]: string;
            } | null;
            /** @description A label for clients */
            type?: string | null;
            /**
             * Format: int64
             * @description 0 = the caller's first organization
             */
            organization_id?: number | null;
            /** @description printable ASCII characters without spaces around them */
            secret?: string | null;
        };
        File: {
            /** Format: int64 */
            id: number;
            /** @description SHA-256 of the content, for the download */
            hash: string;
            name: string;
            mime: string;
            /**
             * Format: int64
             * @description 0 = the file belongs to an organization
             */
            installation_id: number;
            /**
             * Format: int64
             * @description 0 = the file belongs to an installation
             */
            organization_id: number;
            /**
             * Format: int64
             * @description Unix time in whole seconds
             */
            created: number;
            /**
             * Format: int64
             * @description Unix time in whole seconds
             */
            updated: number;
        };
        Freshness: {
            /** Format: int64 */
            installation_id: number;
            /**
             * Format: int64
             * @description Topics that ever had a value
             */
            topics: number;
            /**
             * Format: int64
             * @description How many of them are silent
             */
            silent: number;
            /** @description Unix time in seconds, with decimals for milliseconds */
            last?: number;
            /** @description New values per minute, the mean of five minutes */
            per_minute: number;
            /** @description Whether the gateway is connected to the embedded MQTT broker, and since when. `since` is missing if the gateway never connected, or if it left before the platform started and has no kept session. All of it is missing if no gateway of the installation is known, and with an external broker */
            gateway?: components["schemas"]["GatewayState"];
        };
        Function: {
            /** Format: int64 */
            id: number;
            /** Format: int64 */
            installation_id: number;
            type: string;
            /** @description Texts by key, with keys of 1 to 255 characters. Plain and protected ones together have at most 262144 characters */
            meta: components["schemas"]["Meta"];
            /** @description Texts by key, with keys of 1 to 255 characters. Plain and protected ones together have at most 262144 characters */
            protected_meta?: components["schemas"]["Meta"];
            /**
             * Format: int64
             * @description Unix time in whole seconds
             */
            created: number;
            /**
             * Format: int64
             * @description Unix time in whole seconds
             */
            updated: number;
        };
        FunctionUpdate: {
            /** @description text of 1 to 100 characters without /, + and #; missing: kept */
            type: string | null;
            /** @description Texts by key, with keys of 1 to 255 characters. Plain and protected ones together have at most 262144 characters */
            meta: components["schemas"]["Meta"] | null;
            /**
             * Format: int64
             * @description Ignored
             */
            id?: number | null;
            /** @description Ignored */
            created?: number | null;
            /** @description Ignored */
            updated?: number | null;
            /**
             * Format: int64
             * @description Ignored: the installation comes from the path; missing: the installation of the path
             */
            installation_id: number | null;
            /** @description Texts by key, with keys of 1 to 255 characters. Plain and protected ones together have at most 262144 characters */
            protected_meta?: components["schemas"]["Meta"] | null;
        };
        GatewayCredentials: {
            /** Format: int64 */
            client_id: number;
            /** Format: int64 */
            installation_id: number;
            /** @description Address of the API for the gateway */
            api: string;
            aam: string;
            /** @description host:port */
            mqtt_broker: string;
            mqtt_username: string;
            /** @description Shown once */
            mqtt_password: string;
            mqtt_client_id: string;
            timezone: string;
            /** @description All MQTT topics of a connection with this key are below `<client_id>/<prefix>/` of the installation. The device neither writes nor sees that part. Such a key is for MQTT only */
            mount?: components["schemas"]["Mount"];
        };
        GatewayRegistrationPolicy: {
            allow_unregistered: boolean;
            /** Format: int64 */
            default_organization_id: number;
        };
        GatewayReport: {
            capabilities?: string[];
        };
        GatewayState: {
            connected: boolean;
            /** @description Unix time in seconds, with decimals for milliseconds */
            since?: number;
        };
        Health: {
            /** @enum {string} */
            status: "ready" | "degraded" | "draining";
            /** @description The version of Caracal */
            version: string;
            engines: {
                [key: string]: {
                    ok: boolean;
                    detail: string;
                };
            };
            /** @description How the last backup ended. It does not change the status */
            backup?: {
                ok: boolean;
                /**
                 * Format: int64
                 * @description When the last backup was made, in Unix seconds
                 */
                made: number | null;
                detail: string;
            };
            /** @description Client certificates that are not revoked, counted every minute. They do not change the status; missing if there are none */
            certificates?: {
                /** @description false while one has expired or ends within 30 days */
                ok: boolean;
                /** Format: int64 */
                expiring: number;
                /** Format: int64 */
                expired: number;
                /**
                 * Format: int64
                 * @description When the next one ends, in Unix seconds
                 */
                next: number | null;
                detail: string;
            };
        };
        ImportResult: {
            /**
             * Format: int64
             * @description Samples that were stored
             */
            imported: number;
            /**
             * Format: int64
             * @description Lines that were rejected
             */
            rejected: number;
            /** @description The first 100 rejected lines */
            errors: {
                /** Format: int64 */
                line: number;
                message: string;
            }[];
        };
        Installation: {
            /** Format: int64 */
            id: number;
            name: string;
            /**
             * Format: int64
             * @description Identifier on MQTT
             */
            client_id: number;
            /** Format: int64 */
            organization_id: number;
            notes: string;
            /** @description IANA name; empty = the time zone of the platform */
            timezone: string;
            /** @description Users that the installation is assigned to */
            users: number[];
            /** @description Texts by key, with keys of 1 to 255 characters. Plain and protected ones together have at most 262144 characters */
            meta: components["schemas"]["Meta"];
            /** @description Texts by key, with keys of 1 to 255 characters. Plain and protected ones together have at most 262144 characters */
            protected_meta?: components["schemas"]["Meta"];
            /**
             * Format: int64
             * @description Unix time in whole seconds
             */
            created: number;
        };
        InstallationInfo: {
            /** Format: int64 */
            id: number;
            name: string;
            /** Format: int64 */
            client_id: number;
            /** Format: int64 */
            organization_id: number;
            capabilities: string[];
            assigned: boolean;
        };
        InstallationUpdate: {
            name?: string | null;
            /**
             * Format: int64
             * @description Ignored
             */
            id?: number | null;
            /**
             * Format: int64
             * @description Ignored
             */
            client_id?: number | null;
            /** @description Ignored */
            created?: number | null;
            /**
             * Format: int64
             * @description 0 = not given
             */
            organization_id?: number | null;
            notes?: string | null;
            timezone?: string | null;
            users?: number[] | null;
            /** @description Texts by key, with keys of 1 to 255 characters. Plain and protected ones together have at most 262144 characters */
            meta?: components["schemas"]["Meta"] | null;
            /** @description Texts by key, with keys of 1 to 255 characters. Plain and protected ones together have at most 262144 characters */
            protected_meta?: components["schemas"]["Meta"] | null;
        };
        IssuedCertificate: {
            /** Format: int64 */
            id: number;
            /** Format: int64 */
            installation_id: number;
            name: string;
            /** @description SHA-256 of the certificate, in hexadecimal digits */
            fingerprint: string;
            subject: string;
            /** @description By the platform; false: by an authority of the operator */
            issued: boolean;
            /** @description All MQTT topics of a connection with this key are below `<client_id>/<prefix>/` of the installation. The device neither writes nor sees that part. Such a key is for MQTT only */
            mount?: components["schemas"]["Mount"];
            /** @description Unix time in seconds, with decimals for milliseconds */
            not_before: number;
            /** @description Unix time in seconds, with decimals for milliseconds */
            not_after: number;
            /** @description Unix time in seconds, with decimals for milliseconds */
            created: number;
            /** @description Unix time in seconds, with decimals for milliseconds */
            revoked: number | null;
            /**
             * @description `expiring`: it ends within 30 days. `pending`: it is not valid yet
             * @enum {string}
             */
            status: "valid" | "expiring" | "expired" | "revoked" | "pending";
            /** @description PEM */
            certificate: string;
            /** @description The certificate of the authority, PEM */
            authority: string;
            /** @description PEM (PKCS 8). Shown once; missing if there was a request */
            private_key?: string;
        };
        LastMessage: {
            /** @description Without the client id */
            topic: string;
            /** @description As text, at most 4096 bytes of it */
            payload: string;
            /** @description Unix time in seconds, with decimals for milliseconds */
            timestamp: number;
        };
        LedgerEntry: {
            /** Format: int64 */
            id: number;
            /** @description Unix time in seconds, with decimals for milliseconds */
            timestamp: number;
            reason: string;
            topic: string;
            sender: string;
            /** @description The first 256 characters */
            payload: string;
        };
        LogEntry: {
            /** Format: int64 */
            id: number;
            function_id: string;
            function_type: string;
            /** @description functionx */
            log_item_type: string;
            name: string;
            /** @description Deprecated: empty */
            unit: string;
            icon: string;
            /** @description Deprecated: empty */
            alarm_type: string;
            value: number;
            /** @description Unix time in seconds, with decimals for milliseconds */
            timestamp: number;
            /** @description Deprecated: empty */
            value_id: string;
            message: string;
        };
        LogPage: {
            /**
             * Format: int64
             * @description Number of entries in this page
             */
            count: number;
            /** @description Unix time of the oldest entry in data; 0 when empty */
            last: number;
            /**
             * Format: int64
             * @description Number of entries that match the filters
             */
            total: number;
            data: components["schemas"]["LoggedStatus"][];
        };
        LogRemoval: {
            /**
             * Format: int64
             * @description Number of values that were deleted
             */
            count: number;
        };
        LoggedStatus: {
            /** Format: int64 */
            client_id: number;
            /** Format: int64 */
            installation_id: number;
            /** @description Unix time in seconds, with decimals for milliseconds */
            timestamp: number;
            value: number;
            /** @description At most 64 KiB */
            msg: string;
            topic: string;
            /** @description The result of each method by its name; only if several were asked for */
            values?: {
                [key: string]: number;
            };
        };
        Mapping: {
            /** Format: int64 */
            id: number;
            /** Format: int64 */
            installation_id: number;
            name: string;
            active: boolean;
            /** @description Empty: the values are declared */
            make: string;
            filter: string;
            /** @description Make a function for each new topic */
            create_missing: boolean;
            values: components["schemas"]["MappingValue"][];
        };
        MappingTrial: {
            values: {
                /** @description Without the client id */
                topic: string;
                value: number;
                /** @description Unix time in seconds, with decimals for milliseconds */
                timestamp: number;
                /**
                 * Format: int64
                 * @description 0: the mapping of the request
                 */
                mapping_id: number;
            }[];
            refused: {
                /** Format: int64 */
                mapping_id: number;
                path: string;
                reason: string;
            }[];
        };
        MappingTry: {
            /** @description What follows the client id */
            topic: string;
            /** @description As text */
            payload: string;
            /** @description A make, or a filter and values */
            mapping?: components["schemas"]["NewMapping"] | null;
        };
        MappingUpdate: {
            /**
             * Format: int64
             * @description Ignored
             */
            id?: number | null;
            /**
             * Format: int64
             * @description Ignored
             */
            installation_id?: number | null;
            /**
             * Format: int64
             * @description Ignored
             */
            organization_id?: number | null;
            name?: string | null;
            active?: boolean | null;
            /** @enum {string|null} */
            make?: "" | "tasmota" | "zigbee2mqtt" | "shelly" | "homeassistant" | "chirpstack" | "ttn" | null;
            /** @description An MQTT filter of what follows the client id */
            filter?: string | null;
            create_missing?: boolean | null;
            values?: components["schemas"]["NewMappingValue"][] | null;
        };
        MappingValue: {
            /** @description Keys joined by dots, `*` for every key, `\.` for a dot inside a key; empty: the payload itself */
            path: string;
            topic: string;
            table: {
                [key: string]: number;
            };
            factor: number;
            offset: number;
            unit: string;
            timestamp: {
                /** @description Keys joined by dots, `*` for every key, `\.` for a dot inside a key; empty: the payload itself */
                path: string;
                /** @enum {string} */
                format: "s" | "ms" | "iso";
            } | null;
        };
        Message: {
            /** Format: int64 */
            id: number;
            /** Format: int64 */
            installation_id: number;
            name: string;
            text: string;
        };
        MessageResponse: {
            message: string;
        };
        MessageTry: {
            /** @description A template of Go's text/template */
            text: string;
            /**
             * @description `.payload` of the template
             * @default {}
             */
            payload?: {
                [key: string]: unknown;
            } | null;
        };
        MessageUpdate: {
            name?: string | null;
            /** @description A template of Go's text/template */
            text?: string | null;
        };
        Meta: {
            [key: string]: string;
        };
        MetaX: {
            value: string;
            protected: boolean;
        };
        MetaXUpdate: {
            value: string;
            /** @description Missing: false in a new key; an old one keeps it */
            protected?: boolean | null;
        };
        Mobile: {
            device_id: string;
            firebase_token: string;
        };
        MobileAnswer: {
            invalid: string[];
            messages: string[];
            missing: string[];
            mobile: components["schemas"]["Mobile"];
            valid: boolean;
        };
        MosquittoAnswer: {
            /** @constant */
            ok: true;
        };
        MosquittoQuestion: {
            username?: string | null;
            clientid?: string | null;
            topic: string;
            /**
             * Format: int64
             * @description 1 read, 2 write, 3 both, 4 subscribe, 8 unsubscribe
             */
            acc: number;
        };
        MosquittoUser: {
            username?: string | null;
            password?: string | null;
            clientid?: string | null;
        };
        Mount: {
            /** Format: int64 */
            installation_id: number;
            prefix: string;
        };
        NamedEdgeAppVersion: {
            /** @description text of 1 to 100 characters that does not look like a hash */
            name: string;
            hash: string;
        };
        NewBlacklistEntry: {
            topic: string;
            /**
             * @default block
             * @enum {string|null}
             */
            mode?: "block" | "ignore" | "" | null;
            /** @default true */
            enabled?: boolean | null;
            /** @default  */
            reason?: string | null;
        };
        NewCertificate: {
            name: string;
            /** @default 365 */
            days?: number | null;
            /** @description A certificate request (PKCS 10) as PEM, with a key of the curve P-256 or P-384 or an RSA key of 2048 to 4096 bits. Its subject is ignored. Missing: the platform makes the key */
            csr?: string | null;
            /** @description For a device that uses topics of its own, instead of the gateway */
            mount?: components["schemas"]["NewCertificateMount"] | null;
        };
        NewCertificateMount: {
            /** @description `dev` if missing. 1 to 8 topic levels without wildcards, `$`, `.` and `..`; the first one is not `obj`, `set` or `evt` */
            prefix?: string | null;
        };
        NewCommand: {
            /** @description Where the command is published, with or without client id; not `obj/...`; at most 64 levels and 1024 bytes */
            topic: string;
            /** @description A text is sent as it is, everything else as JSON; missing or null: an empty payload. At most 65536 bytes */
            payload?: unknown;
            /** @description Where the device answers, with or without client id. The first message there after the command is the answer. Missing: a topic that only this command has, which a device with MQTT 5 finds in the response topic of the command; at most 64 levels and 1024 bytes */
            response_topic?: string | null;
            /**
             * @description How many seconds to wait for the answer
             * @default 10
             */
            timeout?: number | null;
            /** @default 1 */
            qos?: number | null;
            /** @description 1 to 255 printable ASCII characters; devices with MQTT 5 get it */
            content_type?: string | null;
        };
        NewDevice: {
            /** @description text of 1 to 100 characters without /, + and # */
            type: string;
            /** @description Texts by key, with keys of 1 to 255 characters. Plain and protected ones together have at most 262144 characters */
            meta: components["schemas"]["Meta"] | null;
            /**
             * Format: int64
             * @description Ignored
             */
            id?: number | null;
            /** @description Ignored */
            created?: number | null;
            /** @description Ignored */
            updated?: number | null;
            /**
             * Format: int64
             * @description Ignored: the installation comes from the path; missing: the installation of the path
             */
            installation_id: number | null;
            /**
             * @description Texts by key, with keys of 1 to 255 characters. Plain and protected ones together have at most 262144 characters
             * @default {}
             */
            protected_meta?: components["schemas"]["Meta"] | null;
        };
        NewEdgeApp: {
            name: string;
            publisher: {
                /** Format: int64 */
                id: number;
                /** @description Ignored */
                name?: string | null;
            };
            /**
             * Format: int64
             * @description Ignored
             */
            id?: number | null;
            /** @description Ignored */
            created?: number | null;
            /** @description Ignored */
            updated?: number | null;
            /** @description missing: empty */
            category: string | null;
            /** @description missing: none */
            tags: string[] | null;
            /** @description missing: empty */
            short_description: string | null;
            /** @description missing: empty */
            description: string | null;
            /** @description missing: false */
            public: boolean | null;
            /** @default false */
            official?: boolean | null;
            /** @default  */
            source_url?: string | null;
        };
        NewExecutor: {
            name: string;
            /** @description texts by key, with keys of 1 to 255 characters */
            config: {
                [key: string]: string;
            };
            /**
             * @description A label for clients
             * @default http
             */
            type?: string | null;
            /**
             * Format: int64
             * @description 0 = the caller's first organization
             */
            organization_id?: number | null;
            /**
             * @description printable ASCII characters without spaces around them
             * @default
             */
            secret?: string | null;
        };
        NewFunction: {
            /** @description text of 1 to 100 characters without /, + and # */
            type: string;
            /** @description Texts by key, with keys of 1 to 255 characters. Plain and protected ones together have at most 262144 characters */
            meta: components["schemas"]["Meta"] | null;
            /**
             * Format: int64
             * @description Ignored
             */
            id?: number | null;
            /** @description Ignored */
            created?: number | null;
            /** @description Ignored */
            updated?: number | null;
            /**
             * Format: int64
             * @description Ignored: the installation comes from the path; missing: the installation of the path
             */
            installation_id: number | null;
            /**
             * @description Texts by key, with keys of 1 to 255 characters. Plain and protected ones together have at most 262144 characters
             * @default {}
             */
            protected_meta?: components["schemas"]["Meta"] | null;
        };
        NewGatewayCredentials: {
            mount?: components["schemas"]["NewGatewayMount"] | null;
        };
        NewGatewayMount: {
            /** @description `dev` if missing. 1 to 8 topic levels without wildcards, `$`, `.` and `..`; the first one is not `obj`, `set` or `evt` */
            prefix?: string | null;
        };
        NewInstallation: {
            name: string;
            /**
             * Format: int64
             * @description Ignored
             */
            id?: number | null;
            /**
             * Format: int64
             * @description Ignored
             */
            client_id?: number | null;
            /** @description Ignored */
            created?: number | null;
            /**
             * Format: int64
             * @description 0 = not given
             */
            organization_id?: number | null;
            /** @default  */
            notes?: string | null;
            /** @default  */
            timezone?: string | null;
            /** @default [] */
            users?: number[] | null;
            /**
             * @description Texts by key, with keys of 1 to 255 characters. Plain and protected ones together have at most 262144 characters
             * @default {}
             */
            meta?: components["schemas"]["Meta"] | null;
            /**
             * @description Texts by key, with keys of 1 to 255 characters. Plain and protected ones together have at most 262144 characters
             * @default {}
             */
            protected_meta?: components["schemas"]["Meta"] | null;
        };
        NewMapping: {
            /**
             * Format: int64
             * @description Ignored
             */
            id?: number | null;
            /**
             * Format: int64
             * @description Ignored
             */
            installation_id?: number | null;
            /**
             * Format: int64
             * @description Ignored
             */
            organization_id?: number | null;
            name?: string | null;
            /** @default true */
            active?: boolean | null;
            /**
             * @default
             * @enum {string|null}
             */
            make?: "" | "tasmota" | "zigbee2mqtt" | "shelly" | "homeassistant" | "chirpstack" | "ttn" | null;
            /**
             * @description An MQTT filter of what follows the client id
             * @default
             */
            filter?: string | null;
            /** @default false */
            create_missing?: boolean | null;
            /** @default [] */
            values?: components["schemas"]["NewMappingValue"][] | null;
        };
        NewMappingValue: {
            /**
             * @description Keys joined by dots, `*` for every key, `\.` for a dot inside a key; empty: the payload itself
             * @default
             */
            path?: string | null;
            /** @description An object topic without the client id. `{1}` is the first level of the topic of the message, `{*}` the key that the first `*` of the path met, `{*2}` the second */
            topic: string;
            /**
             * @description numbers by word, with words of at most 100 characters
             * @default {}
             */
            table?: {
                [key: string]: number;
            } | null;
            /** @default 1 */
            factor?: number | null;
            /**
             * @description Added after the factor
             * @default 0
             */
            offset?: number | null;
            /** @default  */
            unit?: string | null;
            /**
             * @description Where the time of the value is; missing: the arrival
             * @default null
             */
            timestamp?: {
                /** @description Keys joined by dots, `*` for every key, `\.` for a dot inside a key; empty: the payload itself */
                path?: string | null;
                /** @enum {string} */
                format: "s" | "ms" | "iso";
            } | null;
        };
        NewMessage: {
            name: string;
            /** @description A template of Go's text/template */
            text: string;
        };
        NewMount: {
            /** Format: int64 */
            installation_id: number;
            /** @description `dev` if missing. 1 to 8 topic levels without wildcards, `$`, `.` and `..`; the first one is not `obj`, `set` or `evt` */
            prefix?: string | null;
        };
        NewOrganization: {
            name: string;
            address?: {
                /** @description missing: empty */
                address: string | null;
                /** @description missing: empty */
                city: string | null;
                /** @description missing: empty */
                country: string | null;
                /** @description missing: empty */
                zip: string | null;
            } | null;
            /**
             * Format: int64
             * @description Ignored
             */
            id?: number | null;
            /** @description Ignored */
            children?: (Record<string, never>[] | Record<string, never>) | null;
            /** Format: int64 */
            parent?: number | null;
            /** @default  */
            email?: string | null;
            /** @default  */
            phone?: string | null;
            /** @default  */
            notes?: string | null;
            /** @default false */
            force_sms_login?: boolean | null;
            /**
             * @description Texts by key, with keys of 1 to 255 characters. Plain and protected ones together have at most 262144 characters
             * @default {}
             */
            meta?: components["schemas"]["Meta"] | null;
            /**
             * @description Texts by key, with keys of 1 to 255 characters. Plain and protected ones together have at most 262144 characters
             * @default {}
             */
            protected_meta?: components["schemas"]["Meta"] | null;
        };
        NewOutput: {
            /** Format: int64 */
            notification_message_id: number;
            /** Format: int64 */
            notification_output_executor_id: number;
            /** @default  */
            name?: string | null;
            /**
             * @description texts by key, with keys of 1 to 255 characters
             * @default {}
             */
            config?: {
                [key: string]: string;
            } | null;
        };
        NewPassword: {
            /** @description Not one of the most common passwords */
            password: string;
        };
        NewPushSubscription: {
            endpoint: string;
            keys: {
                p256dh: string;
                auth: string;
            };
            /** @description Ignored */
            expirationTime?: number | null;
        };
        NewRegistrationPolicy: {
            /** @description an e-mail address, such as `*@example.com`; `*` stands for any text on its side of the @ */
            email_pattern: string;
            role_id?: number | 0 | null;
            parent_organization?: number | 0 | null;
            organization_id?: number | 0 | null;
        };
        NewRole: {
            organization_id?: number | 0 | null;
            name: string;
            priority: number;
            /** @default {} */
            permissions?: {
                [key: string]: boolean;
            } | null;
        };
        NewRule: {
            /**
             * Format: int64
             * @description Ignored
             */
            id?: number | null;
            /**
             * Format: int64
             * @description Ignored
             */
            installation_id?: number | null;
            /**
             * Format: int64
             * @description Ignored
             */
            organization_id?: number | null;
            /** @default  */
            name?: string | null;
            /** @default true */
            active?: boolean | null;
            /**
             * @default warning
             * @enum {string|null}
             */
            severity?: "info" | "warning" | "critical" | null;
            /** @description Topics; or functions by `type` and `meta` */
            on: components["schemas"]["RuleOn"];
            /** @description One of the keys. At most 20 comparisons together */
            when: components["schemas"]["RuleWhen"];
            /**
             * @description How long it must last, at most 366d. A number and a unit: s, m, h or d; empty: it is raised at once
             * @default
             */
            for?: string | null;
            /**
             * @description An open alarm clears when the value is inside the bound by so much
             * @default 0
             */
            hysteresis?: number | null;
            /**
             * @description In the time zone of the installation
             * @default null
             */
            schedule?: components["schemas"]["RuleHours"] | null;
            /**
             * @description A template as of notifications; `.payload` is the alarm
             * @default
             */
            message?: string | null;
        };
        NewSamples: {
            /** @description `obj/...`, with or without client id; at most 64 levels and 1024 bytes */
            topic: string;
            value: number;
            /** @description Unix time in seconds; missing: now */
            timestamp?: number | null;
            /** @description At most 64 KiB; missing: empty */
            msg?: string | null;
        }[];
        NewSchedule: {
            /** @description missing: true */
            active: boolean | null;
            topic: string;
            value: number;
            /**
             * Format: int64
             * @description Ignored
             */
            id?: number | null;
            /**
             * Format: int64
             * @description Ignored: the installation comes from the path; missing: the installation of the path
             */
            installation_id: number | null;
            /**
             * @description Missing or empty: `*`
             * @default *
             */
            minute?: string | null;
            /**
             * @description Missing or empty: `*`
             * @default *
             */
            hour?: string | null;
            /**
             * @description Missing or empty: `*`
             * @default *
             */
            day_of_month?: string | null;
            /**
             * @description Missing or empty: `*`
             * @default *
             */
            day_of_week?: string | null;
            /**
             * @description Missing or empty: `*`
             * @default *
             */
            month?: string | null;
            /**
             * @description Missing or empty: `gateway`
             * @default gateway
             */
            executor?: string | null;
            /**
             * Format: int64
             * @description Ignored
             */
            created_at?: number | null;
            /** @description Ignored */
            updated_at?: string | null;
        };
        NewToken: {
            name: string;
            /**
             * Format: int64
             * @description Unix time; 0 = never
             * @default 0
             */
            expire?: number | null;
            /**
             * @description The key ends after this many seconds without use; 0 = never
             * @default 0
             */
            session_timeout?: number | null;
            permissions?: string[] | Record<string, never> | null;
            /** @default 43 */
            length?: number | null;
            mount?: components["schemas"]["NewMount"] | null;
        };
        NewUser: {
            /** @description an e-mail address */
            email: string;
            first_name: string;
            last_name: string;
            /** Format: int64 */
            role: number;
            /** @description missing: the caller's first one; an empty list means the same */
            organisations: number[] | null;
            address: components["schemas"]["Address"];
            /**
             * Format: int64
             * @description Ignored
             */
            id?: number | null;
            /** @default false */
            sms_login?: boolean | null;
            /**
             * @description text without control characters
             * @default
             */
            mobile?: string | null;
            /** @default  */
            note?: string | null;
            /** @default [] */
            assigned_installations?: number[] | null;
            /**
             * Format: int64
             * @default 0
             */
            expire_at?: number | null;
            /** @description Not one of the most common passwords */
            password?: string | null;
            /**
             * @description Texts by key, with keys of 1 to 255 characters. Plain and protected ones together have at most 262144 characters
             * @default {}
             */
            meta?: components["schemas"]["Meta"] | null;
            /**
             * @description Texts by key, with keys of 1 to 255 characters. Plain and protected ones together have at most 262144 characters
             * @default {}
             */
            protected_meta?: components["schemas"]["Meta"] | null;
        };
        NextRuns: {
            /** @description The time zone of the fields */
            zone: string;
            runs: number[];
        };
        Organization: {
            /** Format: int64 */
            id: number;
            name: string;
            address: components["schemas"]["Address"];
            email: string;
            phone: string;
            force_sms_login: boolean;
            /**
             * Format: int64
             * @description 0 = the topmost organization that the caller can see
             */
            parent: number;
            children: {
                /** Format: int64 */
                id: number;
                name: string;
            }[];
            notes: string;
            /** @description Texts by key, with keys of 1 to 255 characters. Plain and protected ones together have at most 262144 characters */
            meta: components["schemas"]["Meta"];
            /** @description Texts by key, with keys of 1 to 255 characters. Plain and protected ones together have at most 262144 characters */
            protected_meta?: components["schemas"]["Meta"];
        };
        OrganizationMapping: {
            /** Format: int64 */
            id: number;
            /** Format: int64 */
            organization_id: number;
            name: string;
            active: boolean;
            /** @description Empty: the values are declared */
            make: string;
            filter: string;
            /** @description Make a function for each new topic */
            create_missing: boolean;
            values: components["schemas"]["MappingValue"][];
        };
        OrganizationRule: {
            /** Format: int64 */
            id: number;
            /** Format: int64 */
            organization_id: number;
            name: string;
            active: boolean;
            /** @enum {string} */
            severity: "info" | "warning" | "critical";
            /** @description Topics; or functions by `type` and `meta` */
            on: components["schemas"]["RuleOn"];
            /** @description One of the keys. At most 20 comparisons together */
            when: components["schemas"]["RuleWhen"];
            /** @description How long it must last, at most 366d. A number and a unit: s, m, h or d; empty: it is raised at once */
            for: string;
            /** @description An open alarm clears when the value is inside the bound by so much */
            hysteresis: number;
            /** @description In the time zone of the installation */
            schedule: components["schemas"]["RuleHours"] | null;
            /** @description A template as of notifications; `.payload` is the alarm */
            message: string;
        };
        OrganizationSimple: {
            /** Format: int64 */
            id: number;
            name: string;
            /** Format: int64 */
            parent: number;
        };
        OrganizationUpdate: {
            name?: string | null;
            address?: {
                /** @description missing: kept */
                address: string | null;
                /** @description missing: kept */
                city: string | null;
                /** @description missing: kept */
                country: string | null;
                /** @description missing: kept */
                zip: string | null;
            } | null;
            /**
             * Format: int64
             * @description Ignored
             */
            id?: number | null;
            /** @description Ignored */
            children?: (Record<string, never>[] | Record<string, never>) | null;
            /** Format: int64 */
            parent?: number | null;
            email?: string | null;
            phone?: string | null;
            notes?: string | null;
            force_sms_login?: boolean | null;
            /** @description Texts by key, with keys of 1 to 255 characters. Plain and protected ones together have at most 262144 characters */
            meta?: components["schemas"]["Meta"] | null;
            /** @description Texts by key, with keys of 1 to 255 characters. Plain and protected ones together have at most 262144 characters */
            protected_meta?: components["schemas"]["Meta"] | null;
        };
        Output: {
            /** Format: int64 */
            id: number;
            /** Format: int64 */
            installation_id: number;
            name: string;
            /** Format: int64 */
            notification_message_id: number;
            /** Format: int64 */
            notification_output_executor_id: number;
            /** @description Every value is a template too */
            config: {
                [key: string]: string;
            };
        };
        OutputUpdate: {
            /** Format: int64 */
            notification_message_id?: number | null;
            /** Format: int64 */
            notification_output_executor_id?: number | null;
            name?: string | null;
            /** @description texts by key, with keys of 1 to 255 characters */
            config?: {
                [key: string]: string;
            } | null;
        };
        PasswordChange: {
            current_password: string;
            /** @description Not one of the most common passwords */
            new_password: string;
        };
        PasswordResetRequest: {
            email: string;
        };
        PasswordSet: {
            current_password?: string | null;
            /** @description Not one of the most common passwords */
            new_password: string;
        };
        PermissionExplanation: {
            permission: string;
            granted: boolean;
            /** @description The grant that allows it */
            grant: string | null;
            reason: string;
            /** @description How the grant reaches the installation: `organization`, `assignment`, or `installation` if the grant names it */
            through: string | null;
            /**
             * Format: int64
             * @description With `organization`: the organization of the user that it is in, or below
             */
            organization_id: number | null;
            /** @description Grants that would allow it, if the user reached the installation in this way */
            unreached: {
                grant: string;
                through: string;
            }[];
        };
        Permissions: {
            [key: string]: boolean;
        };
        Push: {
            /** @description `applicationServerKey` of a browser, in base64url */
            public_key: string;
            subscriptions: components["schemas"]["PushSubscription"][];
        };
        PushSubscription: {
            /** Format: int64 */
            id: number;
            /** @description Only the origin: the rest is a secret of the browser */
            endpoint: string;
            /**
             * Format: int64
             * @description Unix time in whole seconds
             */
            created: number;
        };
        QuietHours: {
            /** @description a time such as 22:00 */
            from: string;
            /** @description a time such as 07:00 */
            to: string;
        };
        Quota: {
            defaults: {
                /**
                 * Format: int64
                 * @description Average per second; the messages of one minute may come at once
                 */
                messages_per_second: number;
                /**
                 * Format: int64
                 * @description Topics with a value
                 */
                topics: number;
                /**
                 * Format: int64
                 * @description Bytes that arrive on one day in UTC
                 */
                history_bytes_per_day: number;
                /**
                 * Format: int64
                 * @description Bytes that are stored
                 */
                history_bytes: number;
                /**
                 * Format: int64
                 * @description Uploaded files
                 */
                files: number;
                /**
                 * Format: int64
                 * @description Bytes of all uploaded files together
                 */
                file_bytes: number;
                /**
                 * Format: int64
                 * @description MQTT connections
                 */
                connections: number;
                /**
                 * Format: int64
                 * @description Filters of MQTT subscriptions
                 */
                filters: number;
                /**
                 * Format: int64
                 * @description null = for ever
                 */
                history_days: number | null;
            };
            overrides: {
                /**
                 * Format: int64
                 * @description Average per second; the messages of one minute may come at once
                 */
                messages_per_second?: number;
                /**
                 * Format: int64
                 * @description Topics with a value
                 */
                topics?: number;
                /**
                 * Format: int64
                 * @description Bytes that arrive on one day in UTC
                 */
                history_bytes_per_day?: number;
                /**
                 * Format: int64
                 * @description Bytes that are stored
                 */
                history_bytes?: number;
                /**
                 * Format: int64
                 * @description Uploaded files
                 */
                files?: number;
                /**
                 * Format: int64
                 * @description Bytes of all uploaded files together
                 */
                file_bytes?: number;
                /**
                 * Format: int64
                 * @description MQTT connections
                 */
                connections?: number;
                /**
                 * Format: int64
                 * @description Filters of MQTT subscriptions
                 */
                filters?: number;
                /**
                 * Format: int64
                 * @description Days that values stay; the least of an owner and all above it counts
                 */
                history_days?: number;
            };
            effective: {
                /**
                 * Format: int64
                 * @description null = no limit
                 */
                messages_per_second: number | null;
                /**
                 * Format: int64
                 * @description null = no limit
                 */
                topics: number | null;
                /**
                 * Format: int64
                 * @description null = no limit
                 */
                history_bytes_per_day: number | null;
                /**
                 * Format: int64
                 * @description null = no limit
                 */
                history_bytes: number | null;
                /**
                 * Format: int64
                 * @description null = no limit
                 */
                files: number | null;
                /**
                 * Format: int64
                 * @description null = no limit
                 */
                file_bytes: number | null;
                /**
                 * Format: int64
                 * @description null = no limit
                 */
                connections: number | null;
                /**
                 * Format: int64
                 * @description null = no limit
                 */
                filters: number | null;
                /**
                 * Format: int64
                 * @description null = for ever
                 */
                history_days: number | null;
            };
        };
        QuotaUpdate: {
            /**
             * Format: int64
             * @description Average per second; the messages of one minute may come at once
             */
            messages_per_second?: number | null;
            /**
             * Format: int64
             * @description Topics with a value
             */
            topics?: number | null;
            /**
             * Format: int64
             * @description Bytes that arrive on one day in UTC
             */
            history_bytes_per_day?: number | null;
            /**
             * Format: int64
             * @description Bytes that are stored
             */
            history_bytes?: number | null;
            /**
             * Format: int64
             * @description Uploaded files
             */
            files?: number | null;
            /**
             * Format: int64
             * @description Bytes of all uploaded files together
             */
            file_bytes?: number | null;
            /**
             * Format: int64
             * @description MQTT connections
             */
            connections?: number | null;
            /**
             * Format: int64
             * @description Filters of MQTT subscriptions
             */
            filters?: number | null;
            /** @description Days that values stay; the least of an owner and all above it counts */
            history_days?: number | null;
        };
        /**
         * @example {
         *       "message": "Forbidden",
         *       "permissions": [
         *         "schedule/update/all",
         *         "schedule/update/assigned"
         *       ],
         *       "object": {
         *         "kind": "installation",
         *         "id": 12
         *       }
         *     }
         */
        Refusal: {
            message: string;
            /** @description The caller needs one of these */
            permissions?: string[];
            /** @description On this object */
            object?: {
                kind: string;
                id: unknown;
            };
        };
        RegisteredCertificate: {
            name: string;
            /** @description The certificate of the client as PEM, followed by those between it and an authority of CARACAL_TLS_CLIENT_CA_PATH; at most 5 together */
            certificate: string;
            /** @description For a device that uses topics of its own, instead of the gateway */
            mount?: components["schemas"]["NewCertificateMount"] | null;
        };
        Registration: {
            first_name: string;
            last_name: string;
            /** @description an e-mail address */
            email: string;
            address?: {
                address?: string;
                city?: string;
                country?: string;
                zip?: string;
            } | null;
        };
        RegistrationPolicy: {
            /** Format: int64 */
            id: number;
            email_pattern: string;
            /** Format: int64 */
            role_id: number;
            /**
             * Format: int64
             * @description The user gets a new organization below this one
             */
            parent_organization?: number;
            /**
             * Format: int64
             * @description The user joins this organization
             */
            organization_id?: number;
        };
        RegistrationPolicyUpdate: {
            /** @description an e-mail address, such as `*@example.com`; `*` stands for any text on its side of the @ */
            email_pattern?: string | null;
            role_id?: number | 0 | null;
            parent_organization?: number | 0 | null;
            organization_id?: number | 0 | null;
        };
        RenderedMessage: {
            text: string;
        };
        Role: {
            /** Format: int64 */
            id: number;
            /**
             * Format: int64
             * @description The role is visible and usable here and below; 0 = on the whole platform
             */
            organization_id: number;
            name: string;
            /**
             * Format: int64
             * @description Callers cannot give or change roles with a higher priority than their own
             */
            priority: number;
            permissions: {
                [key: string]: boolean;
            };
        };
        RoleUpdate: {
            organization_id?: number | 0 | null;
            name?: string | null;
            priority?: number | null;
            permissions?: {
                [key: string]: boolean;
            } | null;
        };
        Rule: {
            /** Format: int64 */
            id: number;
            /** Format: int64 */
            installation_id: number;
            name: string;
            active: boolean;
            /** @enum {string} */
            severity: "info" | "warning" | "critical";
            /** @description Topics; or functions by `type` and `meta` */
            on: components["schemas"]["RuleOn"];
            /** @description One of the keys. At most 20 comparisons together */
            when: components["schemas"]["RuleWhen"];
            /** @description How long it must last, at most 366d. A number and a unit: s, m, h or d; empty: it is raised at once */
            for: string;
            /** @description An open alarm clears when the value is inside the bound by so much */
            hysteresis: number;
            /** @description In the time zone of the installation */
            schedule: components["schemas"]["RuleHours"] | null;
            /** @description A template as of notifications; `.payload` is the alarm */
            message: string;
        };
        RuleComparison: {
            above?: number | components["schemas"]["RuleMeta"];
            below?: number | components["schemas"]["RuleMeta"];
            /** @description Below the first or above the second */
            outside?: (number | components["schemas"]["RuleMeta"])[];
            equals?: number | components["schemas"]["RuleMeta"];
            changed_by?: number | components["schemas"]["RuleMeta"];
            rate_per_hour?: number | components["schemas"]["RuleMeta"];
            silent_for?: string | components["schemas"]["RuleMeta"];
        };
        RuleHours: {
            /** @description 0 is Sunday, 6 is Saturday */
            days: number[];
            /** @description As 08:00 */
            from: string;
            /** @description As 17:00; before `from`: on the next day */
            to: string;
        };
        RuleMeta: {
            /** @description A key of the metadata of the function */
            meta: string;
        };
        RuleOn: {
            topics?: string[];
            /** @description Of functions; empty: of all types */
            type?: string;
            /** @description What the functions have in their metadata, all of it */
            meta?: {
                [key: string]: string;
            };
        };
        RuleTrial: {
            alarms: {
                topic: string;
                /** @description Unix time in seconds, with decimals for milliseconds */
                raised_at: number;
                /** @description Unix time in seconds, with decimals for milliseconds */
                cleared_at: number | null;
                value: number | null;
            }[];
        };
        RuleTry: {
            /** @description At most 262144 bytes as JSON */
            rule: components["schemas"]["NewRule"];
            /** @description Unix time, inclusive; default: 24 hours ago */
            from?: number;
            /** @description Unix time, inclusive; default: now */
            to?: number;
        };
        RuleUpdate: {
            /**
             * Format: int64
             * @description Ignored
             */
            id?: number | null;
            /**
             * Format: int64
             * @description Ignored
             */
            installation_id?: number | null;
            /**
             * Format: int64
             * @description Ignored
             */
            organization_id?: number | null;
            name?: string | null;
            active?: boolean | null;
            /** @enum {string|null} */
            severity?: "info" | "warning" | "critical" | null;
            /** @description Topics; or functions by `type` and `meta` */
            on?: components["schemas"]["RuleOn"] | null;
            /** @description One of the keys. At most 20 comparisons together */
            when?: components["schemas"]["RuleWhen"] | null;
            /** @description How long it must last, at most 366d. A number and a unit: s, m, h or d; empty: it is raised at once */
            for?: string | null;
            /** @description An open alarm clears when the value is inside the bound by so much */
            hysteresis?: number | null;
            /** @description In the time zone of the installation */
            schedule?: components["schemas"]["RuleHours"] | null;
            /** @description A template as of notifications; `.payload` is the alarm */
            message?: string | null;
        };
        RuleWhen: {
            above?: number | components["schemas"]["RuleMeta"];
            below?: number | components["schemas"]["RuleMeta"];
            /** @description Below the first or above the second */
            outside?: (number | components["schemas"]["RuleMeta"])[];
            equals?: number | components["schemas"]["RuleMeta"];
            changed_by?: number | components["schemas"]["RuleMeta"];
            rate_per_hour?: number | components["schemas"]["RuleMeta"];
            silent_for?: string | components["schemas"]["RuleMeta"];
            all?: components["schemas"]["RuleWhen2"][];
            any?: components["schemas"]["RuleWhen2"][];
        };
        RuleWhen2: {
            above?: number | components["schemas"]["RuleMeta"];
            below?: number | components["schemas"]["RuleMeta"];
            /** @description Below the first or above the second */
            outside?: (number | components["schemas"]["RuleMeta"])[];
            equals?: number | components["schemas"]["RuleMeta"];
            changed_by?: number | components["schemas"]["RuleMeta"];
            rate_per_hour?: number | components["schemas"]["RuleMeta"];
            silent_for?: string | components["schemas"]["RuleMeta"];
            all?: components["schemas"]["RuleWhen3"][];
            any?: components["schemas"]["RuleWhen3"][];
        };
        RuleWhen3: {
            above?: number | components["schemas"]["RuleMeta"];
            below?: number | components["schemas"]["RuleMeta"];
            /** @description Below the first or above the second */
            outside?: (number | components["schemas"]["RuleMeta"])[];
            equals?: number | components["schemas"]["RuleMeta"];
            changed_by?: number | components["schemas"]["RuleMeta"];
            rate_per_hour?: number | components["schemas"]["RuleMeta"];
            silent_for?: string | components["schemas"]["RuleMeta"];
            all?: components["schemas"]["RuleComparison"][];
            any?: components["schemas"]["RuleComparison"][];
        };
        Run: {
            /**
             * Format: int64
             * @description Unix time in whole seconds
             */
            planned: number;
            /**
             * Format: int64
             * @description Unix time in whole seconds
             */
            ran: number;
            /** @description published, failed, skipped, or taken (still under way) */
            outcome: string;
        };
        Schedule: {
            /** Format: int64 */
            id: number;
            /** Format: int64 */
            installation_id: number;
            active: boolean;
            topic: string;
            value: number;
            minute: string;
            hour: string;
            /** @description Begins with 0, so 0 is the first day */
            day_of_month: string;
            /** @description Sunday is 0 and 7 */
            day_of_week: string;
            /** @description Begins with 0, so 0 is January */
            month: string;
            executor: string;
            /**
             * Format: int64
             * @description Unix time in whole seconds
             */
            created_at: number;
            /** @description Unix time, as text */
            updated_at: string;
        };
        ScheduleUpdate: {
            /** @description missing: kept */
            active: boolean | null;
            /** @description missing: kept */
            topic: string | null;
            /** @description missing: kept */
            value: number | null;
            /**
             * Format: int64
             * @description Ignored
             */
            id?: number | null;
            /**
             * Format: int64
             * @description Ignored: the installation comes from the path; missing: the installation of the path
             */
            installation_id: number | null;
            /**
             * @description Missing or empty: `*`
             * @default *
             */
            minute?: string | null;
            /**
             * @description Missing or empty: `*`
             * @default *
             */
            hour?: string | null;
            /**
             * @description Missing or empty: `*`
             * @default *
             */
            day_of_month?: string | null;
            /**
             * @description Missing or empty: `*`
             * @default *
             */
            day_of_week?: string | null;
            /**
             * @description Missing or empty: `*`
             * @default *
             */
            month?: string | null;
            /**
             * @description Missing or empty: `gateway`
             * @default gateway
             */
            executor?: string | null;
            /**
             * Format: int64
             * @description Ignored
             */
            created_at?: number | null;
            /** @description Ignored */
            updated_at?: string | null;
        };
        /**
         * @example {
         *       "error": "q is required"
         *     }
         */
        SearchError: {
            error: string;
        };
        SearchPage: {
            /**
             * Format: int64
             * @description All matches, not only those of this page. If more than 500 objects may contain a text of five or more characters, it may also count objects that have all parts of the text, but not in one piece; a page never shows these
             */
            total: number;
            /** Format: int64 */
            limit: number;
            /** Format: int64 */
            offset: number;
            results: components["schemas"]["SearchResult"][];
        };
        SearchResult: {
            /** @enum {string} */
            type: "installation" | "device" | "function";
            /** Format: int64 */
            id: number;
            name: string;
            description: string | null;
            notes: string | null;
            /**
             * Format: int64
             * @description Unix time in whole seconds
             */
            created: number;
            /**
             * Format: int64
             * @description Unix time in whole seconds
             */
            updated: number | null;
            clientID: string | null;
            /** Format: int64 */
            installationID: number | null;
            /** Format: int64 */
            organizationID: number | null;
            /** @description Texts by key, with keys of 1 to 255 characters. Plain and protected ones together have at most 262144 characters */
            metaMatches: components["schemas"]["Meta"] | null;
            /** @description Texts by key, with keys of 1 to 255 characters. Plain and protected ones together have at most 262144 characters */
            allMetadata: components["schemas"]["Meta"];
        };
        Send: {
            /**
             * Format: int64
             * @description Unix time in whole seconds
             */
            sent: number;
            /** @description `sent`, or what went wrong */
            outcome: string;
        };
        Session: {
            token: string;
            /** @description `smslogin`: send the code of the SMS with PUT */
            nextstep?: string;
        };
        Status: {
            /** Format: int64 */
            client_id: number;
            /** Format: int64 */
            installation_id: number;
            /** @description Unix time in seconds, with decimals for milliseconds */
            timestamp: number;
            value: number;
            /** @description At most 64 KiB */
            msg: string;
            topic: string;
        };
        SystemFigures: {
            /**
             * Format: int64
             * @description Seconds from one point to the next
             */
            step: number;
            /** @description The start of each point, in Unix seconds; at most 721 */
            times: number[];
            /** @description One for each point; null: not known, or the platform did not run */
            figures: {
                /** @description MQTT messages received; mean of a point */
                messages_per_second: (number | null)[];
                /** @description Values stored; mean of a point */
                stored_per_second: (number | null)[];
                /** @description Messages acknowledged but not stored; mean of a point */
                refused_per_second: (number | null)[];
                /** @description HTTP requests answered; mean of a point */
                requests_per_second: (number | null)[];
                /** @description Half of the answers took at most so many seconds; mean of a point */
                request_p50: (number | null)[];
                /** @description 99 % of the answers took at most so many seconds; most of a point */
                request_p99: (number | null)[];
                /** @description Open MQTT connections; mean of a point */
                mqtt_connections: (number | null)[];
                /** @description Stored values on their way to history; most of a point */
                spool_samples: (number | null)[];
                /** @description How long the oldest of them has waited; most of a point */
                spool_oldest_seconds: (number | null)[];
                /** @description Seconds that the process was late, 99 %; most of a point */
                loop_delay_p99: (number | null)[];
                /** @description Resident memory; most of a point */
                memory_bytes: (number | null)[];
                /** @description Free space of the data directory; least of a point */
                disk_free_bytes: (number | null)[];
            };
        };
        SystemState: {
            /** @description The version of Caracal */
            version: string;
            /**
             * Format: int64
             * @description Unix time in whole seconds
             */
            started: number;
            /** @enum {string} */
            broker: "embedded" | "external";
            disk: {
                /**
                 * Format: int64
                 * @description Bytes
                 */
                free: number;
                /**
                 * Format: int64
                 * @description Bytes that values leave free
                 */
                reserve: number;
            };
            /** @description null: it does not answer */
            spool: {
                /**
                 * Format: int64
                 * @description Stored values on their way to history
                 */
                samples: number;
                /** Format: int64 */
                bytes: number;
                /**
                 * Format: int64
                 * @description How long the oldest one has waited
                 */
                oldest_seconds: number;
            } | null;
            connections: {
                /** Format: int64 */
                http: number;
                /** Format: int64 */
                mqtt: number;
            };
            /**
             * Format: int64
             * @description When the TLS certificate ends, in Unix seconds; null: none
             */
            certificate_expires: number | null;
            /** @description What is wrong, in words; empty: nothing */
            problems: string[];
        };
        Token: {
            /** Format: int64 */
            id: number;
            name: string;
            /** @description `session` or `key` */
            type: string;
            /** @description Only in the answer to its creation */
            token?: string;
            /** Format: int64 */
            created: number;
            /**
             * Format: int64
             * @description Unix time; 0 = never
             */
            expire: number;
            /**
             * Format: int64
             * @description The token ends after this many seconds without use; 0 = never
             */
            session_timeout: number;
            /** Format: int64 */
            last_used: number;
            /** @description Whether this request used this token */
            current: boolean;
            agent: string;
            accessed: {
                ip: string;
                agent: string;
                /** Format: int64 */
                last_accessed: number;
            }[];
            /** @description Only for a restricted key */
            permissions?: string[];
            /** @description All MQTT topics of a connection with this key are below `<client_id>/<prefix>/` of the installation. The device neither writes nor sees that part. Such a key is for MQTT only */
            mount?: components["schemas"]["Mount"];
        };
        TopicFilters: string[];
        TraceEntry: {
            id: string;
            /** @description With ids, but without the query and without metadata keys */
            path: string;
            method: string;
            /** @description Unix time in seconds, with decimals for milliseconds */
            timestamp: number;
            /**
             * Format: int64
             * @description 0 = a gateway, or a caller who was not signed in
             */
            user_id: number;
            action: string;
            object_type: string;
            /**
             * Format: int64
             * @description 0 = not known
             */
            object_id: number;
            description: string;
            /** @description The address of the caller. Only in entries of what the caller of this request did, of what happened to their account, and for those who see the whole trace */
            address?: string;
        };
        TracePage: {
            /**
             * Format: int64
             * @description Number of entries that match the filters
             */
            total: number;
            /** @description Unix time of the oldest entry in data; 0 when empty */
            last: number;
            /**
             * Format: int64
             * @description Number of entries in this page
             */
            count: number;
            data: components["schemas"]["TraceEntry"][];
        };
        Usage: {
            messages_per_second: {
                /** @description Average per second; the messages of one minute may come at once */
                used: number;
                /**
                 * Format: int64
                 * @description null = no limit
                 */
                quota: number | null;
            };
            topics: {
                /** @description Topics with a value */
                used: number;
                /**
                 * Format: int64
                 * @description null = no limit
                 */
                quota: number | null;
            };
            history_bytes_per_day: {
                /** @description Bytes that arrive on one day in UTC */
                used: number;
                /**
                 * Format: int64
                 * @description null = no limit
                 */
                quota: number | null;
            };
            history_bytes: {
                /** @description Bytes that are stored */
                used: number;
                /**
                 * Format: int64
                 * @description null = no limit
                 */
                quota: number | null;
            };
            files: {
                /** @description Uploaded files */
                used: number;
                /**
                 * Format: int64
                 * @description null = no limit
                 */
                quota: number | null;
            };
            file_bytes: {
                /** @description Bytes of all uploaded files together */
                used: number;
                /**
                 * Format: int64
                 * @description null = no limit
                 */
                quota: number | null;
            };
            connections: {
                /** @description MQTT connections */
                used: number;
                /**
                 * Format: int64
                 * @description null = no limit
                 */
                quota: number | null;
            };
            filters: {
                /** @description Filters of MQTT subscriptions */
                used: number;
                /**
                 * Format: int64
                 * @description null = no limit
                 */
                quota: number | null;
            };
        };
        User: {
            /** Format: int64 */
            id: number;
            email: string;
            first_name: string;
            last_name: string;
            /** Format: int64 */
            role: number;
            sms_login: boolean;
            mobile: string;
            note: string;
            organisations: number[];
            address: components["schemas"]["Address"];
            /** @description Texts by key, with keys of 1 to 255 characters. Plain and protected ones together have at most 262144 characters */
            meta: components["schemas"]["Meta"];
            /** @description Texts by key, with keys of 1 to 255 characters. Plain and protected ones together have at most 262144 characters */
            protected_meta?: components["schemas"]["Meta"];
            /**
             * Format: int64
             * @description Unix time of the end of the account; only if there is one
             */
            expire_at?: number;
        };
        UserUpdate: {
            /** @description an e-mail address */
            email?: string | null;
            first_name?: string | null;
            last_name?: string | null;
            /** Format: int64 */
            role?: number | null;
            /** @description An empty list keeps them */
            organisations?: number[] | null;
            address?: {
                /** @description missing: kept */
                address: string | null;
                /** @description missing: kept */
                city: string | null;
                /** @description missing: kept */
                country: string | null;
                /** @description missing: kept */
                zip: string | null;
            } | null;
            /**
             * Format: int64
             * @description Ignored
             */
            id?: number | null;
            sms_login?: boolean | null;
            /** @description text without control characters */
            mobile?: string | null;
            note?: string | null;
            assigned_installations?: number[] | null;
            /** Format: int64 */
            expire_at?: number | null;
            /** @description Not one of the most common passwords */
            password?: string | null;
            /** @description Texts by key, with keys of 1 to 255 characters. Plain and protected ones together have at most 262144 characters */
            meta?: components["schemas"]["Meta"] | null;
            /** @description Texts by key, with keys of 1 to 255 characters. Plain and protected ones together have at most 262144 characters */
            protected_meta?: components["schemas"]["Meta"] | null;
        };
        WriteFault: {
            message: string;
            /**
             * Format: int64
             * @description The line that is wrong, from 1
             */
            line?: number;
            /**
             * Format: int64
             * @description How many values are stored
             */
            stored?: number;
        };
    };
    responses: {
        /** @description Bad request: the message names the field */
        Error400: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The sign-in is missing or wrong */
        Error401: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Too many requests; Retry-After says when to try again */
        Error429: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Unexpected error */
        Error500: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Not available now */
        Error503: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Any other error, such as 414 (address too long) and 431 (header fields too large) */
        ErrorOther: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body arrives too slowly */
        Error408: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Body too large */
        Error413: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Not allowed, or not visible to the caller */
        Error403: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Refusal"];
            };
        };
        /** @description The client cancelled the request */
        Error499: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Not found */
        Error404: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Conflict with what is stored */
        Error409: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Content encoding not supported */
        Error415: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The disk is full */
        Error507: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The object was changed since the caller read it */
        Error412: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The called server or device failed */
        Error502: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The device did not answer in time */
        Error504: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description Send the request again after this many seconds */
        RetryAfter: number;
        /** @description Of the object as the caller sees it, for `If-Match` of a later change */
        ETag: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    finishSignIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Challenge"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            408: components["responses"]["Error408"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    signIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK; no body */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    resetPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPassword"];
            };
        };
        responses: {
            /** @description OK; no body */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request: the message names the field; no body */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            408: components["responses"]["Error408"];
            413: components["responses"]["Error413"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    requestPasswordReset: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasswordResetRequest"];
            };
        };
        responses: {
            /** @description OK; no body */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            408: components["responses"]["Error408"];
            413: components["responses"]["Error413"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getLogV2: {
        parameters: {
            query?: {
                /** @description Unix time, inclusive; default: 24 hours ago */
                from?: number;
                /** @description Unix time, inclusive; default: now */
                to?: number;
                /** @description 0 = the default, 10 000 */
                limit?: number;
                /** @description Topic filters, with or without client id, with the wildcards + and #; repeated or comma-separated. The whole text is also one filter, to find a topic with a comma. At most 200 have wildcards */
                topics?: string[];
            };
            header?: never;
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogEntry"][];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getLogV2OfTopics: {
        parameters: {
            query?: {
                /** @description Unix time, inclusive; default: 24 hours ago */
                from?: number;
                /** @description Unix time, inclusive; default: now */
                to?: number;
                /** @description 0 = the default, 10 000 */
                limit?: number;
            };
            header?: never;
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        /** @description At most 200 have wildcards; an empty list finds all topics */
        requestBody: {
            content: {
                "application/json": components["schemas"]["TopicFilters"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogEntry"][];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            408: components["responses"]["Error408"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getLog: {
        parameters: {
            query?: {
                /** @description Unix time, inclusive; default: 24 hours ago */
                from?: number;
                /** @description Unix time, inclusive; default: now */
                to?: number;
                /** @description 0 = the default, 10 000 */
                limit?: number;
                offset?: number;
                order?: "desc" | "asc";
                /** @description count, first, last, avg, mean, spread, max, min, sum, stddev, median, percentile(X), integral(X); default: median. Up to four with commas between, such as mean,min,max: `value` is the result of the first one, and `values` has all of them */
                aggr_method?: string;
                /** @description Number and unit: s, m, h, d, w, mo; also 1h30m0s. Default: 1m, 10m, 1h or 6h, depending on the time span */
                aggr_interval?: string;
                /** @description Time zone of days, weeks and months, an IANA name; default: UTC */
                tz?: string;
                /** @description Topic filters, with or without client id, with the wildcards + and #; repeated or comma-separated. The whole text is also one filter, to find a topic with a comma. At most 200 have wildcards */
                topics?: string[];
            };
            header?: never;
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogPage"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getLogOfTopics: {
        parameters: {
            query?: {
                /** @description Unix time, inclusive; default: 24 hours ago */
                from?: number;
                /** @description Unix time, inclusive; default: now */
                to?: number;
                /** @description 0 = the default, 10 000 */
                limit?: number;
                offset?: number;
                order?: "desc" | "asc";
                /** @description count, first, last, avg, mean, spread, max, min, sum, stddev, median, percentile(X), integral(X); default: median. Up to four with commas between, such as mean,min,max: `value` is the result of the first one, and `values` has all of them */
                aggr_method?: string;
                /** @description Number and unit: s, m, h, d, w, mo; also 1h30m0s. Default: 1m, 10m, 1h or 6h, depending on the time span */
                aggr_interval?: string;
                /** @description Time zone of days, weeks and months, an IANA name; default: UTC */
                tz?: string;
            };
            header?: never;
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        /** @description At most 200 have wildcards; an empty list finds all topics */
        requestBody: {
            content: {
                "application/json": components["schemas"]["TopicFilters"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogPage"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            408: components["responses"]["Error408"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    deleteLog: {
        parameters: {
            query: {
                /** @description Unix time, inclusive */
                from: number;
                /** @description Unix time, inclusive */
                to: number;
                /** @description Topic filters, with or without client id, with the wildcards + and #; repeated or comma-separated. The whole text is also one filter, to find a topic with a comma. At most 200 have wildcards */
                topics: string[];
            };
            header?: never;
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogRemoval"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    search: {
        parameters: {
            query: {
                /** @description Text; `*` is a wildcard; `*` alone finds everything; only digits find an id */
                q: string;
                /** @description Default: every type that the caller may see */
                types?: ("installation" | "device" | "function")[];
                /** @description 0 = the default, 10 000 */
                limit?: number;
                offset?: number;
                /** @description Metadata filters, as `metadata.<key>=<value>`; `*` in a value is a wildcard */
                metadata?: {
                    [key: string]: string | string[];
                };
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchPage"];
                };
            };
            /** @description Bad request: the message names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchError"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            499: components["responses"]["Error499"];
            500: components["responses"]["Error500"];
            /** @description Not available now */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchError"];
                };
            };
            default: components["responses"]["ErrorOther"];
        };
    };
    exportLog: {
        parameters: {
            query?: {
                /** @description Unix time, inclusive; default: the oldest value */
                from?: number;
                /** @description Unix time, inclusive; default: the newest value */
                to?: number;
                /** @description Topic filters, with or without client id, with the wildcards + and #; repeated or comma-separated. The whole text is also one filter, to find a topic with a comma. At most 200 have wildcards */
                topics?: string[];
                /** @description Default: the type in the Accept header, else csv */
                format?: "csv" | "ndjson";
            };
            header?: never;
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    importLog: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        /** @description One line for each value; Content-Encoding: gzip is accepted */
        requestBody: {
            content: {
                "text/csv": string;
                "application/x-ndjson": string;
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportResult"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    writeSamples: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewSamples"];
            };
        };
        responses: {
            /** @description All values are stored */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    writeLines: {
        parameters: {
            query: {
                /** @description The id of an installation */
                bucket: number;
                /** @description Ignored */
                org?: string;
                /** @description Ignored */
                orgID?: string;
                /** @description The unit of the timestamps */
                precision?: "ns" | "us" | "ms" | "s";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Line protocol; Content-Encoding: gzip is accepted */
        requestBody: {
            content: {
                "text/plain": string;
            };
        };
        responses: {
            /** @description All values are stored */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request: the message names the field */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WriteFault"];
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            /** @description Conflict with what is stored */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WriteFault"];
                };
            };
            413: components["responses"]["Error413"];
            415: components["responses"]["Error415"];
            /** @description Too many requests; Retry-After says when to try again */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WriteFault"];
                };
            };
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            /** @description The disk is full */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WriteFault"];
                };
            };
            default: components["responses"]["ErrorOther"];
        };
    };
    registerMobile: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Mobile"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MobileAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    listPushTokens: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": string[];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    listFunctions: {
        parameters: {
            query?: {
                /** @description `*` is a wildcard; if repeated, any of them may match */
                type?: string[];
                /** @description Metadata filters: every parameter with another name, as `<key>=<value>`; `*` in a value is a wildcard; `room=hall*&floor=2` finds objects that match both */
                metadata?: {
                    [key: string]: string | string[];
                };
            };
            header?: never;
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Function"][];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    createFunction: {
        parameters: {
            query?: {
                /** @description true suppresses the MQTT notification */
                silent?: boolean;
            };
            header?: never;
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewFunction"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Function"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getFunction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
                functionx_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Function"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    updateFunction: {
        parameters: {
            query?: {
                /** @description true suppresses the MQTT notification */
                silent?: boolean;
            };
            header?: {
                /** @description The `ETag` of the object as the caller read it. If it has another one now, nothing is changed and the answer is 412 */
                "If-Match"?: string;
            };
            path: {
                installation_id: number;
                functionx_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FunctionUpdate"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Function"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            412: components["responses"]["Error412"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    deleteFunction: {
        parameters: {
            query?: {
                /** @description true suppresses the MQTT notification */
                silent?: boolean;
            };
            header?: never;
            path: {
                installation_id: number;
                functionx_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageResponse"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getFunctionMeta: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
                functionx_id: number;
                meta_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MetaX"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    updateFunctionMeta: {
        parameters: {
            query?: {
                /** @description true suppresses the MQTT notification */
                silent?: boolean;
                /** @description true creates a key that is missing */
                create_missing?: boolean;
            };
            header?: never;
            path: {
                installation_id: number;
                functionx_id: number;
                meta_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MetaXUpdate"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MetaX"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    createFunctionMeta: {
        parameters: {
            query?: {
                /** @description true suppresses the MQTT notification */
                silent?: boolean;
            };
            header?: never;
            path: {
                installation_id: number;
                functionx_id: number;
                meta_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MetaXUpdate"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MetaX"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    deleteFunctionMeta: {
        parameters: {
            query?: {
                /** @description true suppresses the MQTT notification */
                silent?: boolean;
            };
            header?: never;
            path: {
                installation_id: number;
                functionx_id: number;
                meta_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageResponse"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    listDevices: {
        parameters: {
            query?: {
                /** @description `*` is a wildcard; if repeated, any of them may match */
                type?: string[];
                /** @description Metadata filters: every parameter with another name, as `<key>=<value>`; `*` in a value is a wildcard; `room=hall*&floor=2` finds objects that match both */
                metadata?: {
                    [key: string]: string | string[];
                };
            };
            header?: never;
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Device"][];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    createDevice: {
        parameters: {
            query?: {
                /** @description true suppresses the MQTT notification */
                silent?: boolean;
            };
            header?: never;
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewDevice"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Device"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getDevice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
                devicex_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Device"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    updateDevice: {
        parameters: {
            query?: {
                /** @description true suppresses the MQTT notification */
                silent?: boolean;
            };
            header?: {
                /** @description The `ETag` of the object as the caller read it. If it has another one now, nothing is changed and the answer is 412 */
                "If-Match"?: string;
            };
            path: {
                installation_id: number;
                devicex_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeviceUpdate"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Device"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            412: components["responses"]["Error412"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    deleteDevice: {
        parameters: {
            query?: {
                /** @description true suppresses the MQTT notification */
                silent?: boolean;
            };
            header?: never;
            path: {
                installation_id: number;
                devicex_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageResponse"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getDeviceMeta: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
                devicex_id: number;
                meta_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MetaX"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    updateDeviceMeta: {
        parameters: {
            query?: {
                /** @description true suppresses the MQTT notification */
                silent?: boolean;
                /** @description true creates a key that is missing */
                create_missing?: boolean;
            };
            header?: never;
            path: {
                installation_id: number;
                devicex_id: number;
                meta_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MetaXUpdate"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MetaX"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    createDeviceMeta: {
        parameters: {
            query?: {
                /** @description true suppresses the MQTT notification */
                silent?: boolean;
            };
            header?: never;
            path: {
                installation_id: number;
                devicex_id: number;
                meta_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MetaXUpdate"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MetaX"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    deleteDeviceMeta: {
        parameters: {
            query?: {
                /** @description true suppresses the MQTT notification */
                silent?: boolean;
            };
            header?: never;
            path: {
                installation_id: number;
                devicex_id: number;
                meta_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageResponse"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    listFreshness: {
        parameters: {
            query?: {
                /** @description A topic without a value for so many seconds is silent */
                silent_after?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Freshness"][];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getStatus: {
        parameters: {
            query?: {
                /** @description Topic filters, with or without client id, with the wildcards + and #; repeated or comma-separated. The whole text is also one filter, to find a topic with a comma. At most 200 have wildcards */
                topics?: string[];
            };
            header?: never;
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Status"][];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getStatusOfTopics: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        /** @description At most 200 have wildcards; an empty list finds all topics */
        requestBody: {
            content: {
                "application/json": components["schemas"]["TopicFilters"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Status"][];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            408: components["responses"]["Error408"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    listInstallationInfo: {
        parameters: {
            query?: {
                organization_id?: number[];
                /** @description true: only those assigned to the caller; false: all that the caller can see. Default in a list: true, or false for callers who may list all installations */
                assigned?: boolean;
                /** @description Another spelling of assigned */
                assigned_only?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstallationInfo"][];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getInstallationInfo: {
        parameters: {
            query?: {
                /** @description true: only those assigned to the caller; false: all that the caller can see. Default in a list: true, or false for callers who may list all installations */
                assigned?: boolean;
                /** @description Another spelling of assigned */
                assigned_only?: boolean;
            };
            header?: never;
            path: {
                client_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstallationInfo"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    listInstallations: {
        parameters: {
            query?: {
                /** @description Metadata filters: every parameter with another name, as `<key>=<value>`; `*` in a value is a wildcard; `room=hall*&floor=2` finds objects that match both */
                metadata?: {
                    [key: string]: string | string[];
                };
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Installation"][];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    createInstallation: {
        parameters: {
            query?: {
                /** @description true suppresses the MQTT notification */
                silent?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewInstallation"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Installation"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getInstallation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Installation"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    updateInstallation: {
        parameters: {
            query?: {
                /** @description true suppresses the MQTT notification */
                silent?: boolean;
            };
            header?: {
                /** @description The `ETag` of the object as the caller read it. If it has another one now, nothing is changed and the answer is 412 */
                "If-Match"?: string;
            };
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InstallationUpdate"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Installation"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            412: components["responses"]["Error412"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    deleteInstallation: {
        parameters: {
            query?: {
                /** @description true suppresses the MQTT notification */
                silent?: boolean;
            };
            header?: never;
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageResponse"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getInstallationMeta: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
                meta_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MetaX"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    updateInstallationMeta: {
        parameters: {
            query?: {
                /** @description true suppresses the MQTT notification */
                silent?: boolean;
                /** @description true creates a key that is missing */
                create_missing?: boolean;
            };
            header?: never;
            path: {
                installation_id: number;
                meta_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MetaXUpdate"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MetaX"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    createInstallationMeta: {
        parameters: {
            query?: {
                /** @description true suppresses the MQTT notification */
                silent?: boolean;
            };
            header?: never;
            path: {
                installation_id: number;
                meta_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MetaXUpdate"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MetaX"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    deleteInstallationMeta: {
        parameters: {
            query?: {
                /** @description true suppresses the MQTT notification */
                silent?: boolean;
            };
            header?: never;
            path: {
                installation_id: number;
                meta_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageResponse"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    exportInstallation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getInstallationUsage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Usage"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getInstallationQuota: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Quota"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    updateInstallationQuota: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the object as the caller read it. If it has another one now, nothing is changed and the answer is 412 */
                "If-Match"?: string;
            };
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["QuotaUpdate"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Quota"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            412: components["responses"]["Error412"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getBoard: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Board"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    updateBoard: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BoardUpdate"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Board"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    listMappings: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Mapping"][];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    createMapping: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        /** @description A make, or a filter and values */
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewMapping"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Mapping"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getMapping: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
                mapping_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Mapping"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    updateMapping: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the object as the caller read it. If it has another one now, nothing is changed and the answer is 412 */
                "If-Match"?: string;
            };
            path: {
                installation_id: number;
                mapping_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MappingUpdate"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Mapping"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            412: components["responses"]["Error412"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    deleteMapping: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
                mapping_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageResponse"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    listOrganizationMappings: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organization_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrganizationMapping"][];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    createOrganizationMapping: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organization_id: number;
            };
            cookie?: never;
        };
        /** @description A make, or a filter and values */
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewMapping"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrganizationMapping"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getOrganizationMapping: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organization_id: number;
                mapping_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrganizationMapping"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    updateOrganizationMapping: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the object as the caller read it. If it has another one now, nothing is changed and the answer is 412 */
                "If-Match"?: string;
            };
            path: {
                organization_id: number;
                mapping_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MappingUpdate"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrganizationMapping"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            412: components["responses"]["Error412"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    deleteOrganizationMapping: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organization_id: number;
                mapping_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageResponse"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    listLastMessages: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LastMessage"][];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    tryMappings: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MappingTry"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MappingTrial"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            408: components["responses"]["Error408"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    listAlarmDeliveries: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
                alarm_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlarmDelivery"][];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    countAlarmRecipients: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlarmRecipients"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    listRules: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rule"][];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    createRule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        /** @description At most 262144 bytes as JSON */
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewRule"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rule"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getRule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
                rule_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rule"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    updateRule: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the object as the caller read it. If it has another one now, nothing is changed and the answer is 412 */
                "If-Match"?: string;
            };
            path: {
                installation_id: number;
                rule_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RuleUpdate"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rule"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            412: components["responses"]["Error412"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    deleteRule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
                rule_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageResponse"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    listOrganizationRules: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organization_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrganizationRule"][];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    createOrganizationRule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organization_id: number;
            };
            cookie?: never;
        };
        /** @description At most 262144 bytes as JSON */
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewRule"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrganizationRule"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getOrganizationRule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organization_id: number;
                rule_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrganizationRule"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    updateOrganizationRule: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the object as the caller read it. If it has another one now, nothing is changed and the answer is 412 */
                "If-Match"?: string;
            };
            path: {
                organization_id: number;
                rule_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RuleUpdate"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrganizationRule"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            412: components["responses"]["Error412"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    deleteOrganizationRule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organization_id: number;
                rule_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageResponse"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    tryRule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RuleTry"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuleTrial"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            408: components["responses"]["Error408"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    listAllAlarms: {
        parameters: {
            query?: {
                state?: "raised" | "acknowledged" | "cleared";
                severity?: "info" | "warning" | "critical";
                /** @description Of `raised_at`: Unix time, inclusive; default: 24 hours ago */
                from?: number;
                /** @description Of `raised_at`: Unix time, inclusive; default: now */
                to?: number;
                /** @description 0 = the default, 10 000 */
                limit?: number;
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Alarm"][];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    listAlarms: {
        parameters: {
            query?: {
                state?: "raised" | "acknowledged" | "cleared";
                severity?: "info" | "warning" | "critical";
                /** @description Of `raised_at`: Unix time, inclusive; default: 24 hours ago */
                from?: number;
                /** @description Of `raised_at`: Unix time, inclusive; default: now */
                to?: number;
                /** @description 0 = the default, 10 000 */
                limit?: number;
                offset?: number;
            };
            header?: never;
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Alarm"][];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    acknowledgeAlarm: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
                alarm_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Acknowledgement"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Alarm"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    sendCommand: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewCommand"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommandAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
            default: components["responses"]["ErrorOther"];
        };
    };
    listSchedules: {
        parameters: {
            query?: {
                /** @description `all`: every executor */
                executor?: string;
            };
            header?: never;
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schedule"][];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    createSchedule: {
        parameters: {
            query?: {
                /** @description true suppresses the MQTT notification */
                silent?: boolean;
            };
            header?: never;
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewSchedule"];
            };
        };
        responses: {
            /** @description OK; no body */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
                schedule_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schedule"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    updateSchedule: {
        parameters: {
            query?: {
                /** @description true suppresses the MQTT notification */
                silent?: boolean;
            };
            header?: {
                /** @description The `ETag` of the object as the caller read it. If it has another one now, nothing is changed and the answer is 412 */
                "If-Match"?: string;
            };
            path: {
                installation_id: number;
                schedule_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ScheduleUpdate"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schedule"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            412: components["responses"]["Error412"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    deleteSchedule: {
        parameters: {
            query?: {
                /** @description true suppresses the MQTT notification */
                silent?: boolean;
            };
            header?: never;
            path: {
                installation_id: number;
                schedule_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageResponse"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    listNextRuns: {
        parameters: {
            query?: {
                count?: number;
            };
            header?: never;
            path: {
                installation_id: number;
                schedule_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NextRuns"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    listRuns: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
                schedule_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"][];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    verifyGateway: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["GatewayReport"];
            };
        };
        responses: {
            /** @description The credential is valid */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            408: components["responses"]["Error408"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    resetGateway: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageResponse"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    createGatewayCredentials: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NewGatewayCredentials"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayCredentials"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getBrokerAddresses: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BrokerAddresses"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getGatewayRegistrationPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayRegistrationPolicy"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    updateGatewayRegistrationPolicy: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the object as the caller read it. If it has another one now, nothing is changed and the answer is 412 */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GatewayRegistrationPolicy"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayRegistrationPolicy"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            412: components["responses"]["Error412"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getCertificateAuthority: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CertificateAuthority"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    listCertificates: {
        parameters: {
            query?: {
                /** @description 0 = the default, 100 */
                limit?: number;
                offset?: number;
            };
            header?: never;
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Certificate"][];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    issueCertificate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewCertificate"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedCertificate"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    registerCertificate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RegisteredCertificate"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Certificate"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    revokeCertificate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
                certificate_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Certificate"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getPermissions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Permissions"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    explainPermission: {
        parameters: {
            query: {
                permission: string;
                installation_id?: number;
                user_id?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PermissionExplanation"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getInstallationPermissions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Permissions"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getPermissionsAlias: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Permissions"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    explainPermissionAlias: {
        parameters: {
            query: {
                permission: string;
                installation_id?: number;
                user_id?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PermissionExplanation"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getInstallationPermissionsAlias: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Permissions"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    listRoles: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Role"][];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    createRole: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewRole"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Role"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getRole: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                role_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Role"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    updateRole: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the object as the caller read it. If it has another one now, nothing is changed and the answer is 412 */
                "If-Match"?: string;
            };
            path: {
                role_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RoleUpdate"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Role"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            412: components["responses"]["Error412"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    deleteRole: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                role_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageResponse"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    listUsers: {
        parameters: {
            query?: {
                /** @description Metadata filters: every parameter with another name, as `<key>=<value>`; `*` in a value is a wildcard; `room=hall*&floor=2` finds objects that match both */
                metadata?: {
                    [key: string]: string | string[];
                };
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"][];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    createUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewUser"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    updateMe: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the object as the caller read it. If it has another one now, nothing is changed and the answer is 412 */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserUpdate"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            412: components["responses"]["Error412"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    deleteMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageResponse"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    updateUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the object as the caller read it. If it has another one now, nothing is changed and the answer is 412 */
                "If-Match"?: string;
            };
            path: {
                user_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserUpdate"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            412: components["responses"]["Error412"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    deleteUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageResponse"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getMyMeta: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                meta_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MetaX"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    updateMyMeta: {
        parameters: {
            query?: {
                /** @description true suppresses the MQTT notification */
                silent?: boolean;
                /** @description true creates a key that is missing */
                create_missing?: boolean;
            };
            header?: never;
            path: {
                meta_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MetaXUpdate"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MetaX"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    createMyMeta: {
        parameters: {
            query?: {
                /** @description true suppresses the MQTT notification */
                silent?: boolean;
            };
            header?: never;
            path: {
                meta_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MetaXUpdate"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MetaX"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    deleteMyMeta: {
        parameters: {
            query?: {
                /** @description true suppresses the MQTT notification */
                silent?: boolean;
            };
            header?: never;
            path: {
                meta_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageResponse"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getUserMeta: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: number;
                meta_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MetaX"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    updateUserMeta: {
        parameters: {
            query?: {
                /** @description true suppresses the MQTT notification */
                silent?: boolean;
                /** @description true creates a key that is missing */
                create_missing?: boolean;
            };
            header?: never;
            path: {
                user_id: number;
                meta_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MetaXUpdate"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MetaX"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    createUserMeta: {
        parameters: {
            query?: {
                /** @description true suppresses the MQTT notification */
                silent?: boolean;
            };
            header?: never;
            path: {
                user_id: number;
                meta_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MetaXUpdate"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MetaX"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    deleteUserMeta: {
        parameters: {
            query?: {
                /** @description true suppresses the MQTT notification */
                silent?: boolean;
            };
            header?: never;
            path: {
                user_id: number;
                meta_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageResponse"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    changePassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasswordChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageResponse"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            408: components["responses"]["Error408"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    setMyPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasswordSet"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageResponse"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    setUserPassword: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasswordSet"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageResponse"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    listMyTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"][];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    createMyToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewToken"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    listUserTokens: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"][];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    createUserToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewToken"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    deleteMyToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageResponse"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    deleteUserToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: number;
                token_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageResponse"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    registerUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Registration"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageResponse"];
                };
            };
            400: components["responses"]["Error400"];
            408: components["responses"]["Error408"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    listRegistrationPolicies: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegistrationPolicy"][];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    createRegistrationPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewRegistrationPolicy"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegistrationPolicy"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getRegistrationPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                policy_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegistrationPolicy"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    updateRegistrationPolicy: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the object as the caller read it. If it has another one now, nothing is changed and the answer is 412 */
                "If-Match"?: string;
            };
            path: {
                policy_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RegistrationPolicyUpdate"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegistrationPolicy"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            412: components["responses"]["Error412"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    deleteRegistrationPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                policy_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageResponse"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getMyAlarmSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlarmSettings"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    updateMyAlarmSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AlarmSettingsUpdate"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlarmSettings"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getUserAlarmSettings: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlarmSettings"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    updateUserAlarmSettings: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AlarmSettingsUpdate"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlarmSettings"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getMyPush: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Push"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    createMyPushSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPushSubscription"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PushSubscription"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getUserPush: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Push"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    createUserPushSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPushSubscription"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PushSubscription"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    deleteMyPushSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                subscription_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageResponse"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    deleteUserPushSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: number;
                subscription_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageResponse"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    listOrganizations: {
        parameters: {
            query?: {
                /** @description Only id, name and parent */
                minimal?: boolean;
                /** @description Metadata filters: every parameter with another name, as `<key>=<value>`; `*` in a value is a wildcard; `room=hall*&floor=2` finds objects that match both */
                metadata?: {
                    [key: string]: string | string[];
                };
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": (components["schemas"]["Organization"] | components["schemas"]["OrganizationSimple"])[];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    createOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewOrganization"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organization_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    updateOrganization: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the object as the caller read it. If it has another one now, nothing is changed and the answer is 412 */
                "If-Match"?: string;
            };
            path: {
                organization_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrganizationUpdate"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            412: components["responses"]["Error412"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    deleteOrganization: {
        parameters: {
            query?: {
                /** @description true: delete everything below it too */
                force?: boolean;
            };
            header?: never;
            path: {
                organization_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageResponse"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    forcePasswordReset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organization_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageResponse"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getOrganizationMeta: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organization_id: number;
                meta_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MetaX"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    updateOrganizationMeta: {
        parameters: {
            query?: {
                /** @description true suppresses the MQTT notification */
                silent?: boolean;
                /** @description true creates a key that is missing */
                create_missing?: boolean;
            };
            header?: never;
            path: {
                organization_id: number;
                meta_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MetaXUpdate"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MetaX"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    createOrganizationMeta: {
        parameters: {
            query?: {
                /** @description true suppresses the MQTT notification */
                silent?: boolean;
            };
            header?: never;
            path: {
                organization_id: number;
                meta_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MetaXUpdate"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MetaX"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    deleteOrganizationMeta: {
        parameters: {
            query?: {
                /** @description true suppresses the MQTT notification */
                silent?: boolean;
            };
            header?: never;
            path: {
                organization_id: number;
                meta_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageResponse"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getOrganizationUsage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organization_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Usage"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getOrganizationQuota: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organization_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Quota"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    updateOrganizationQuota: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the object as the caller read it. If it has another one now, nothing is changed and the answer is 412 */
                "If-Match"?: string;
            };
            path: {
                organization_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["QuotaUpdate"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Quota"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            412: components["responses"]["Error412"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    listEdgeApps: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EdgeApp"][];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    updateEdgeApp: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the object as the caller read it. If it has another one now, nothing is changed and the answer is 412 */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EdgeAppUpdateWithId"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EdgeApp"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            412: components["responses"]["Error412"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    createEdgeApp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewEdgeApp"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EdgeApp"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getEdgeApp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EdgeApp"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    updateEdgeAppById: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the object as the caller read it. If it has another one now, nothing is changed and the answer is 412 */
                "If-Match"?: string;
            };
            path: {
                app_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EdgeAppUpdate"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EdgeApp"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            412: components["responses"]["Error412"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    deleteEdgeApp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageResponse"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            409: components["responses"]["Error409"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    listOrganizationEdgeApps: {
        parameters: {
            query?: {
                /** @description true: include public apps of others */
                available?: boolean;
            };
            header?: never;
            path: {
                organization_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EdgeApp"][];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getEdgePublisher: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                publisher_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EdgePublisher"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    downloadEdgeApp: {
        parameters: {
            query: {
                /** @description Name or hash */
                version: string;
            };
            header?: never;
            path: {
                app_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getEdgeAppConfiguration: {
        parameters: {
            query?: {
                /** @description Name or hash */
                version?: string;
            };
            header?: never;
            path: {
                app_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    listEdgeAppVersions: {
        parameters: {
            query?: {
                /** @description true: also versions without a name; only for the publisher */
                untagged?: boolean;
            };
            header?: never;
            path: {
                app_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EdgeAppVersion"][];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    uploadEdgeAppVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** Format: binary */
                    app_json?: string;
                    /** Format: binary */
                    app_lua?: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EdgeAppHash"];
                };
            };
            /** @description The files are the same as in the latest version */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    publishEdgeAppVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NamedEdgeAppVersion"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EdgeAppVersion"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    listEdgeAppInstances: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EdgeAppInstance"][];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    createEdgeAppInstance: {
        parameters: {
            query?: {
                /** @description true suppresses the MQTT notification */
                silent?: boolean;
            };
            header?: never;
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EdgeAppInstanceUpdate"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EdgeAppInstance"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getEdgeAppInstance: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
                instance_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EdgeAppInstance"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    updateEdgeAppInstance: {
        parameters: {
            query?: {
                /** @description true suppresses the MQTT notification */
                silent?: boolean;
            };
            header?: {
                /** @description The `ETag` of the object as the caller read it. If it has another one now, nothing is changed and the answer is 412 */
                "If-Match"?: string;
            };
            path: {
                installation_id: number;
                instance_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EdgeAppInstanceUpdate"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EdgeAppInstance"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            412: components["responses"]["Error412"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    deleteEdgeAppInstance: {
        parameters: {
            query?: {
                /** @description true suppresses the MQTT notification */
                silent?: boolean;
            };
            header?: never;
            path: {
                installation_id: number;
                instance_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageResponse"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    listBlacklistEntries: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlacklistEntry"][];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    createBlacklistEntry: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewBlacklistEntry"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlacklistEntry"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getBlacklistEntry: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                entry_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlacklistEntry"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    updateBlacklistEntry: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the object as the caller read it. If it has another one now, nothing is changed and the answer is 412 */
                "If-Match"?: string;
            };
            path: {
                entry_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BlacklistEntryUpdate"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlacklistEntry"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            412: components["responses"]["Error412"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    deleteBlacklistEntry: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                entry_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageResponse"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    listMessages: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"][];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    createMessage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewMessage"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    tryMessage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MessageTry"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RenderedMessage"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            408: components["responses"]["Error408"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getMessage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
                message_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    updateMessage: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the object as the caller read it. If it has another one now, nothing is changed and the answer is 412 */
                "If-Match"?: string;
            };
            path: {
                installation_id: number;
                message_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MessageUpdate"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            412: components["responses"]["Error412"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    deleteMessage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
                message_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageResponse"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    listOutputs: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Output"][];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    createOutput: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewOutput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Output"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getOutput: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
                output_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Output"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    updateOutput: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the object as the caller read it. If it has another one now, nothing is changed and the answer is 412 */
                "If-Match"?: string;
            };
            path: {
                installation_id: number;
                output_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OutputUpdate"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Output"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            412: components["responses"]["Error412"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    deleteOutput: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
                output_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageResponse"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    sendOutput: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
                output_id: number;
            };
            cookie?: never;
        };
        /** @description `payload` of the templates */
        requestBody: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageResponse"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    listSends: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
                output_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Send"][];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    listInstallationExecutors: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Executor"][];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getInstallationExecutor: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
                executor_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Executor"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    listExecutors: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Executor"][];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    createExecutor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewExecutor"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Executor"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getExecutor: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                executor_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Executor"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    updateExecutor: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the object as the caller read it. If it has another one now, nothing is changed and the answer is 412 */
                "If-Match"?: string;
            };
            path: {
                executor_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ExecutorUpdate"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Executor"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            412: components["responses"]["Error412"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    deleteExecutor: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                executor_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageResponse"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            409: components["responses"]["Error409"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    downloadFile: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of an earlier download; the answer may then be 304 */
                "if-none-match"?: string;
            };
            path: {
                /** @description a SHA-256: 64 hexadecimal digits, in lower case */
                hash: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description The caller has this content already; no body */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    listInstallationFiles: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["File"][];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    uploadInstallationFiles: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** Format: binary */
                    file: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["File"][];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getInstallationFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
                file_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["File"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    replaceInstallationFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
                file_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** Format: binary */
                    file: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["File"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    replaceInstallationFileByPost: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
                file_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** Format: binary */
                    file: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["File"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    deleteInstallationFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                installation_id: number;
                file_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageResponse"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    listOrganizationFiles: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organization_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["File"][];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    uploadOrganizationFiles: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organization_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** Format: binary */
                    file: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["File"][];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getOrganizationFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organization_id: number;
                file_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["File"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    replaceOrganizationFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organization_id: number;
                file_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** Format: binary */
                    file: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["File"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    replaceOrganizationFileByPost: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organization_id: number;
                file_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** Format: binary */
                    file: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["File"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    deleteOrganizationFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organization_id: number;
                file_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageResponse"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    listTrace: {
        parameters: {
            query?: {
                /** @description Unix time, inclusive; default: 24 hours ago, or the oldest entry for one object */
                from?: number;
                /** @description Unix time, inclusive; default: now */
                to?: number;
                /** @description 0 = the default, 10 000 */
                limit?: number;
                offset?: number;
                order?: "desc" | "asc";
                /** @description Use it together with object_id or installation_id */
                object_type?: "installation" | "gateway" | "organization" | "user" | "device" | "function" | "schedule" | "notification_output" | "notification_message" | "output_executor" | "edge_app" | "edge_app_instance" | "file" | "role" | "gateway_registration_policy" | "user_registration_policy" | "mqtt" | "trace" | "platform" | "mapping" | "rule" | "alarm" | "certificate";
                object_id?: number;
                /** @description Only this entry */
                id?: number;
                /** @description Only entries about this installation and what is in it */
                installation_id?: number;
                /** @description Only what this user did; 0 = gateways, and callers who were not signed in */
                user_id?: number;
                /** @description Repeatable and comma-separated */
                action?: ("create" | "delete" | "update" | "view" | "failed" | "execute" | "auth")[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TracePage"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    ping: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageResponse"];
                };
            };
            400: components["responses"]["Error400"];
            500: components["responses"]["Error500"];
            default: components["responses"]["ErrorOther"];
        };
    };
    listLedger: {
        parameters: {
            query?: {
                /** @description Only entries with a smaller id; default: the newest ones */
                before?: number;
                /** @description 0 = the default, 1 000 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LedgerEntry"][];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    listLedgerOfInstallation: {
        parameters: {
            query?: {
                /** @description Only entries with a smaller id; default: the newest ones */
                before?: number;
                /** @description 0 = the default, 1 000 */
                limit?: number;
            };
            header?: never;
            path: {
                installation_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LedgerEntry"][];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getSystem: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SystemState"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getSystemHistory: {
        parameters: {
            query?: {
                /** @description How far back */
                hours?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SystemFigures"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    listConnectedClients: {
        parameters: {
            query?: {
                /** @description Found anywhere in the client id, the address, and the names of account and installation */
                search?: string;
                /** @description Only clients with a greater id */
                after?: number;
                /** @description 0 = the default, 50 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectedClients"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getBackup: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BackupState"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    makeBackup: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BackupState"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            507: components["responses"]["Error507"];
            default: components["responses"]["ErrorOther"];
        };
    };
    verifyBackup: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BackupState"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    emqxSignIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EmqxSignIn"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmqxSignInAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            408: components["responses"]["Error408"];
            413: components["responses"]["Error413"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    emqxAuthorize: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EmqxQuestion"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmqxAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            408: components["responses"]["Error408"];
            413: components["responses"]["Error413"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    mosquittoSignIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MosquittoUser"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MosquittoAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            408: components["responses"]["Error408"];
            413: components["responses"]["Error413"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    mosquittoAuthorize: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MosquittoQuestion"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MosquittoAnswer"];
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            408: components["responses"]["Error408"];
            413: components["responses"]["Error413"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getLiveness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageResponse"];
                };
            };
            400: components["responses"]["Error400"];
            500: components["responses"]["Error500"];
            /** @description Not available now */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageResponse"];
                };
            };
            default: components["responses"]["ErrorOther"];
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            400: components["responses"]["Error400"];
            500: components["responses"]["Error500"];
            /** @description Not available now */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            default: components["responses"]["ErrorOther"];
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getApiPage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            400: components["responses"]["Error400"];
            500: components["responses"]["Error500"];
            default: components["responses"]["ErrorOther"];
        };
    };
    getOpenApi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            400: components["responses"]["Error400"];
            500: components["responses"]["Error500"];
            default: components["responses"]["ErrorOther"];
        };
    };
}
