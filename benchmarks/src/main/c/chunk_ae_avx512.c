/* SPDX-License-Identifier: Apache-2.0 */
#include "hdrf_chunk_avx512.c"

#include "chunk_ae_vector.h"
