# SPDX-License-Identifier: Apache-2.0
"""How generated programs write a dtype."""

CPP_TYPES = {"bool": "bool", "f16": "tn::half", "bf16": "tn::bfloat16", "f32": "float", "f64": "double",
             "f8_e4m3": "tn::float8_e4m3", "f8_e5m2": "tn::float8_e5m2",
             **{f"{sign}{bits}": f"std::{'u' if sign == 'u' else ''}int{bits}_t"
                for sign in "iu" for bits in (8, 16, 32, 64)}}
